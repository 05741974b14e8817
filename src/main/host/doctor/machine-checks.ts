import { describeLimits } from '#adapters/shell/limits/command-limits.ts'
import type { Sandbox } from '#adapters/shell/sandbox.ts'
import { describeHelpers } from '#adapters/system/ends-with-app.ts'
import { readOutgoing } from '#adapters/system/outgoing.ts'
import type { Examination } from '#shared/contract/views/app.ts'
import type { HostOptions } from '../app/host-options.ts'

/** What holds for commands, and for programs that read for the app. */
export function examineLimits(of: Parameters<typeof describeLimits>[0]): Examination {
  const limits = describeLimits(of)
  const end = limits.detail.endsWith('.') ? '' : '.'
  return { name: 'Limits', ...limits, detail: `${limits.detail}${end} ${describeHelpers()}` }
}

/** How this process reaches other machines. */
export function examineOutgoing({ environment }: HostOptions): Examination {
  const { https, http, direct, problems } = readOutgoing(environment)
  const through = [https && `https through ${https}`, http && `http through ${http}`].filter(Boolean)
  const way = through.length === 0 ? 'no proxy' : `${through.join(', ')}; straight to ${direct}`
  const detail = `${way}; certificates of the system are trusted`
  return problems.length > 0
    ? { name: 'Network', state: 'optional', detail: `${problems.join(' ')} ${detail}` }
    : { name: 'Network', state: 'ok', detail }
}

/** Which folders of `PATH` commands do without. */
export function examinePath({ skipped }: Sandbox): Examination {
  if (skipped.length === 0) return { name: 'PATH', state: 'ok', detail: 'commands find every folder in it' }
  const detail = `commands do without these entries: ${skipped.join('; ')}. Correct PATH if a command misses a program.`
  return { name: 'PATH', state: 'optional', detail }
}
