import { join } from 'node:path'
import { createSetupRecords } from '#adapters/disk/setup-records.ts'
import { resolveHosts } from '#adapters/registries/registry-hosts.ts'
import type { Settings } from '#adapters/settings/settings-schema.ts'
import { createProjectSetup, noSetup, type ProjectSetup, type SetupServices } from '#core/setup/project-setup.ts'
import { proposeSetups } from '#core/setup/propose-setup.ts'
import type { SetupProposal } from '#shared/model/setup.ts'
import type { EffectiveSettings } from '../config/settings-source.ts'
import { chooseSetup, type SetupChoice } from '../config/setup-settings.ts'

/** The setup of an open project, and what could be its setup. */
export interface OpenSetup {
  readonly runs: ProjectSetup
  /** What is set now, by the command line, the settings or the trusted project. */
  choice(): SetupChoice
  /** What the files of the project call for, the most sensible first. */
  proposals(): Promise<readonly SetupProposal[]>
}

export interface SetupSourceOptions extends Omit<SetupServices, 'records' | 'find' | 'timeoutMs'> {
  /** Null for a workspace without a folder, which has no setup. */
  readonly rootFolder: string | null
  /** The project's folder inside the data folder. */
  readonly dataFolder: string
  readonly settings: () => Pick<EffectiveSettings, 'setup'>
  /** What a trusted project says. Empty before it is trusted. */
  readonly ofProject: () => Settings
  /** The option of the command line: a command, `auto` or `none`. */
  readonly override: string | undefined
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
}

const nothing: SetupChoice = { definition: null, origin: null, proposedHosts: [], never: false }

export async function openSetup(options: SetupSourceOptions): Promise<OpenSetup & AsyncDisposable> {
  const { rootFolder, override, settings } = options
  if (rootFolder === null) return closable({ runs: noSetup, choice: () => nothing, proposals: async () => [] })
  const proposals = () => proposeSetups(options.base)
  // Found once: what an agent's own files call for later was not there when the person asked for it.
  const found = override === undefined || override === 'none' ? [] : await proposals()
  const choice = (): SetupChoice => {
    const ofProject = options.ofProject().environment
    const set = chooseSetup(settings().setup, ofProject, rootFolder)
    if (override !== undefined) return overridden(override, set, found)
    // Without the sandbox every command of a project asks, so this one waits for the person too.
    return set.origin === 'project' && options.shell.sandbox().state !== 'on' ? nothing : set
  }
  const find = () => {
    const { definition } = choice()
    return definition && { ...definition, hosts: resolveHosts(definition.hosts, options) }
  }
  const records = createSetupRecords(join(options.dataFolder, 'setup'))
  const runs = createProjectSetup({ ...options, records, find, timeoutMs: () => settings().setup.timeoutMs })
  return closable({ runs, choice, proposals })
}

function closable(setup: OpenSetup): OpenSetup & AsyncDisposable {
  return { ...setup, [Symbol.asyncDispose]: () => setup.runs[Symbol.asyncDispose]() }
}

/** The setup of one run of the command line. A command counts the inputs of the settings, or else those of all proposals. */
function overridden(override: string, set: SetupChoice, found: readonly SetupProposal[]): SetupChoice {
  if (override === 'none') return nothing
  const [first] = found
  if (override === 'auto') {
    if (set.definition !== null) return set
    return first === undefined ? nothing : { ...nothing, definition: first, origin: 'command_line' }
  }
  const inputs = set.definition?.inputs ?? [...new Set(found.flatMap((one) => one.inputs))]
  const definition = { command: override, inputs, hosts: set.definition?.hosts ?? [] }
  return { ...nothing, definition, origin: 'command_line' }
}
