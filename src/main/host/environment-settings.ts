import type { ContextScope } from '#shared/model/thread.ts'
import type { HostOptions } from './host-options.ts'

/** What the environment says in place of the settings. A value that cannot be read counts for nothing and is named. */
export interface EnvironmentSettings {
  readonly quarantine: ContextScope | undefined
  /** False lifts the inheritance whatever the settings say. */
  readonly quarantineInherited: boolean
  readonly runnerTimeoutMs: number | undefined
  readonly runnerMemoryMb: number | undefined
  readonly problems: readonly string[]
}

const scopes: readonly ContextScope[] = ['strict', 'scoped', 'off']

export function environmentSettings(environment: HostOptions['environment']): EnvironmentSettings {
  const problems: string[] = []
  function read<Value>(name: string, takes: string, parse: (text: string) => Value | undefined): Value | undefined {
    const given = environment[name]
    if (!given) return undefined
    const value = parse(given)
    if (value === undefined) problems.push(`${name}: "${given}" is not ${takes}. The settings decide.`)
    return value
  }
  return {
    quarantine: read('COPPICE_QUARANTINE_MODE', scopes.join(', '), (text) => scopes.find((scope) => scope === text)),
    quarantineInherited: environment.COPPICE_QUARANTINE_INHERIT !== '0',
    runnerTimeoutMs: read('COPPICE_RUNNER_TIMEOUT_MS', 'a number of milliseconds', positive),
    runnerMemoryMb: read('COPPICE_RUNNER_MEMORY_MB', 'a number of megabytes', positive),
    problems,
  }
}

function positive(text: string): number | undefined {
  const number = Number(text)
  return Number.isFinite(number) && number > 0 ? number : undefined
}
