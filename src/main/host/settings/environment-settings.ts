import type { ContextScope } from '#shared/model/thread.ts'
import type { HostOptions } from '../app/host-options.ts'

/** Values of the environment that replace settings. An invalid value is ignored and reported. */
export interface EnvironmentSettings {
  readonly quarantine: ContextScope | undefined
  readonly quarantineInherited: boolean | undefined
  readonly runnerTimeoutMs: number | undefined
  readonly runnerMemoryMb: number | undefined
  readonly problems: readonly string[]
  /** Those of them that would leave more open than a person wanted. */
  readonly gateProblems: readonly string[]
}

const scopes: readonly ContextScope[] = ['strict', 'scoped', 'off']

export function environmentSettings(environment: HostOptions['environment']): EnvironmentSettings {
  const problems: string[] = []
  function readVariable<Value>(
    name: string,
    takes: string,
    parse: (text: string) => Value | undefined,
  ): Value | undefined {
    const given = environment[name]
    if (!given) return undefined
    const value = parse(given)
    if (value === undefined) problems.push(`${name}: "${given}" is not ${takes}. The settings decide.`)
    return value
  }
  return {
    quarantine: readVariable('COPPICE_QUARANTINE_MODE', scopes.join(', '), (text) =>
      scopes.find((scope) => scope === text),
    ),
    quarantineInherited: readVariable('COPPICE_QUARANTINE_INHERIT', '0 or 1', flag),
    runnerTimeoutMs: readVariable('COPPICE_RUNNER_TIMEOUT_MS', 'a number of milliseconds', positive),
    runnerMemoryMb: readVariable('COPPICE_RUNNER_MEMORY_MB', 'a number of megabytes', positive),
    problems,
    // Each of the variables is a limit.
    gateProblems: problems,
  }
}

function flag(text: string): boolean | undefined {
  return text === '1' || text === 'true' ? true : text === '0' || text === 'false' ? false : undefined
}

function positive(text: string): number | undefined {
  const number = Number(text)
  return Number.isFinite(number) && number > 0 ? number : undefined
}
