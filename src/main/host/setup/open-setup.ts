import { join } from 'node:path'
import { createSetupRecords } from '#adapters/disk/setup-records.ts'
import { resolveHosts } from '#adapters/registries/registry-hosts.ts'
import type { Settings } from '#adapters/settings/settings-schema.ts'
import { findIncludedFiles } from '#core/setup/included-files.ts'
import { findScripts } from '#core/setup/project-scripts.ts'
import { createProjectSetup, noSetup, type ProjectSetup, type SetupServices } from '#core/setup/project-setup.ts'
import { proposeSetups } from '#core/setup/propose-setup.ts'
import { noScripts, type ProjectScripts, type SetupProposal } from '#shared/model/setup.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { EffectiveSettings } from '../settings/settings-source.ts'
import { chooseSetup, type SetupChoice } from '../settings/setup-settings.ts'

/** The setup of an open project, and what could be its setup. */
export interface OpenSetup {
  readonly runs: ProjectSetup
  /**
   * What is set now, by the command line, the settings or the trusted project. Where the sandbox is not *on*, nothing
   * that no person named.
   */
  choice(): SetupChoice
  /**
   * What the files of the project call for, the most sensible first. Where the sandbox is not *on*, it begins with the
   * setup of the trusted project itself.
   */
  proposals(): Promise<readonly SetupProposal[]>
  /** What the files of the project keep for other tools beside a setup. Ask only when it is trusted. */
  scripts(): Promise<ProjectScripts>
  /** Files that the project names for working copies and that agents do not see. */
  includedFiles(): Promise<readonly VirtualPath[]>
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

/** The source of a proposal that the trusted project itself makes. */
export const projectSettings = '/.coppice/settings.json' as VirtualPath
const nothing: SetupChoice = { definition: null, origin: null, proposedHosts: [], never: false }

export async function openSetup(options: SetupSourceOptions): Promise<OpenSetup & AsyncDisposable> {
  const { rootFolder, override, settings } = options
  const scripts = async () => (rootFolder === null ? noScripts : findScripts(options.base, process.platform))
  if (rootFolder === null)
    return closable({ runs: noSetup, choice: () => nothing, proposals: noFiles, scripts, includedFiles: noFiles })
  const isConfined = () => options.shell.sandbox().state === 'on'
  // Found once: what an agent's own files call for later was not there when the person asked for it.
  const found = override === undefined || override === 'none' ? [] : await proposeSetups(options.base)
  const choice = (): SetupChoice => {
    const set = chooseSetup(settings().setup, options.ofProject().environment, rootFolder)
    const chosen = override === undefined ? set : overridden(override, set, found)
    return isConfined() || isOfPerson(chosen, override) ? chosen : nothing
  }
  const proposals = async () => {
    const ofFiles = await proposeSetups(options.base)
    const own = isConfined() ? undefined : proposalOf(options.ofProject().environment)
    return own === undefined ? ofFiles : [own, ...ofFiles.filter(({ command }) => command !== own.command)]
  }
  const find = () => {
    const { definition } = choice()
    return definition && { ...definition, hosts: resolveHosts(definition.hosts, options) }
  }
  const records = createSetupRecords(join(options.dataFolder, 'setup'))
  const runs = createProjectSetup({ ...options, records, find, timeoutMs: () => settings().setup.timeoutMs })
  const includedFiles = () => findIncludedFiles(options, new AbortController().signal)
  return closable({ runs, choice, proposals, scripts, includedFiles })
}

const noFiles = async () => []

function closable(setup: OpenSetup): OpenSetup & AsyncDisposable {
  return { ...setup, [Symbol.asyncDispose]: () => setup.runs[Symbol.asyncDispose]() }
}

/** Whether a person named the command. What a folder names or calls for runs by itself only in the whole sandbox. */
function isOfPerson({ definition, origin }: SetupChoice, override: string | undefined): boolean {
  return definition === null || origin === 'settings' || (origin === 'command_line' && override !== 'auto')
}

/** The setup of a trusted project as something that the person decides about. */
function proposalOf(environment: Settings['environment']): SetupProposal | undefined {
  if (environment?.setup === undefined) return undefined
  const { setup: command, inputs = [], hosts = [] } = environment
  return { command, inputs, hosts, source: projectSettings }
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
