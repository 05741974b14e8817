import { describeLimits } from '#adapters/shell/limits/command-limits.ts'
import type { Sandbox } from '#adapters/shell/sandbox.ts'
import { describeHelpers } from '#adapters/system/ends-with-app.ts'
import { awakeProgram } from '#adapters/system/keep-awake.ts'
import { readAuthorities } from '#adapters/system/outgoing/authorities.ts'
import { readOutgoing } from '#adapters/system/outgoing/read-outgoing.ts'
import { readProxyList } from '#adapters/system/outgoing/system-proxies.ts'
import type { Examination } from '#shared/contract/views/app.ts'
import type { HostOptions } from '../app/host-options.ts'
import type { SpanTarget } from '../settings/outward.ts'

/** What holds for commands, and for programs that read for the app. */
export function examineLimits(of: Parameters<typeof describeLimits>[0]): Examination {
  const limits = describeLimits(of)
  const end = limits.detail.endsWith('.') ? '' : '.'
  return { name: 'Limits', ...limits, detail: `${limits.detail}${end} ${describeHelpers()}` }
}

/** How this process reaches other machines, for what, and whose certificates it trusts. */
export async function examineOutgoing({ environment, frontend, findProxy }: HostOptions): Promise<Examination> {
  const { https, http, direct, problems } = readOutgoing(environment)
  const authorities = readAuthorities(environment)
  const through = [https && `https through ${https}`, http && `http through ${http}`].filter(Boolean)
  const ofSystem = through.length === 0 && findProxy ? await describeSystemProxy(findProxy) : null
  const way =
    through.length > 0
      ? `${through.join(', ')}; straight to ${direct}`
      : (ofSystem ?? `no proxy${frontend === 'desktop' ? '' : ' in the environment'}`)
  const trusted = ['of the system', ...authorities.named.map((one) => `of ${one}`)].join(', ')
  const what = 'This holds for models, servers of tools, agents at an address, pages and granted hosts of commands.'
  const detail = `${way}; trusted certificates: those ${trusted}. ${what}`
  const wrong = [...problems, ...authorities.problems]
  return wrong.length > 0
    ? { name: 'Network', state: 'optional', detail: `${wrong.join(' ')} ${detail}` }
    : { name: 'Network', state: 'ok', detail }
}

async function describeSystemProxy(findProxy: (url: string) => Promise<string>): Promise<string> {
  const list = await findProxy('https://example.com/').catch(() => 'DIRECT')
  const proxy = readProxyList(list)
  if (proxy !== null) return `through ${proxy}, by the settings of the system, which may lead some hosts another way`
  const other = /SOCKS/i.test(list) ? 'the settings of the system name a SOCKS proxy, which Coppice cannot use' : null
  return other ?? 'no proxy, neither in the environment nor in the settings of the system'
}

/** Which folders of `PATH` commands do without. */
export function examinePath({ skipped }: Sandbox): Examination {
  if (skipped.length === 0) return { name: 'PATH', state: 'ok', detail: 'commands find every folder in it' }
  const detail = `commands do without these entries: ${skipped.join('; ')}. Correct PATH if a command misses a program.`
  return { name: 'PATH', state: 'optional', detail }
}

/** Who keeps the computer awake while agents work. Nothing where nobody wants it. */
export function* examineAwake({ keepAwake }: HostOptions, isOn: boolean): Generator<Examination, void> {
  if (!isOn) return
  const program = awakeProgram()?.[0]
  if (keepAwake || program)
    yield {
      name: 'Awake',
      state: 'ok',
      detail: `${program && !keepAwake ? program : 'the app'} keeps the computer awake while agents work`,
    }
  else
    yield {
      name: 'Awake',
      state: 'optional',
      detail: 'keep_awake is set, but this system has no systemd-inhibit or caffeinate: the computer may fall asleep.',
    }
}

/** Where spans of what agents do are sent. Nothing where nobody wants any. */
export function* examineSpans(target: SpanTarget | null): Generator<Examination, void> {
  if (target === null) return
  const { host } = new URL(target.url)
  const texts = target.content ? 'with the texts of messages, arguments and results' : 'without texts'
  yield { name: 'Spans', state: 'ok', detail: `of what agents do are sent to ${host}, ${texts}` }
}
