import { parseSettings } from '#adapters/settings/settings-file.ts'
import type { Settings } from '#adapters/settings/settings-schema.ts'
import { isAboutEffects } from '#core/approval/effects-rules.ts'
import { parseRule } from '#core/approval/rules.ts'
import { folderVariable } from '#core/ports/branch-mounts.ts'
import type { CheckDefinition } from '#shared/model/check.ts'
import { joinPath, nameOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import type { ExtensionProblem } from './front-matter.ts'
import { type ProjectFiles, projectText } from './project-text.ts'

type Environment = NonNullable<Settings['environment']>

/** What the settings of a folder beside the first one say about its files, in words of the whole project. */
export interface FolderSettings {
  readonly deny: readonly string[]
  readonly ask: readonly string[]
  /** They start in that folder, and are about its files. */
  readonly checks: readonly CheckDefinition[]
  /** A setup that starts in that folder. Undefined for none. */
  readonly setup: Pick<Environment, 'setup' | 'inputs' | 'hosts'> | undefined
  readonly problems: readonly ExtensionProblem[]
}

/** The settings of the folders beside the first one, in their order. What is not about files of its folder does not count. */
export function readOtherFolders(files: ProjectFiles): Promise<readonly FolderSettings[]> {
  return Promise.all((files.base.roots?.() ?? []).map((root) => settingsIn(files, root)))
}

/** The settings of the first folder, with those of the others. */
export function joinSettings(first: Settings, others: readonly FolderSettings[]): Settings {
  const { deny = [], ask = [], allow = [] } = first.permissions ?? {}
  const [denied, asked] = [others.flatMap((one) => one.deny), others.flatMap((one) => one.ask)]
  const checks = others.flatMap((one) => one.checks)
  const environment = joinSetups(first.environment, others)
  return {
    ...first,
    ...(denied.length + asked.length > 0 && {
      permissions: { allow, deny: [...deny, ...denied], ask: [...ask, ...asked] },
    }),
    ...(checks.length > 0 && { checks: [...(first.checks ?? []), ...checks] }),
    ...(environment && { environment }),
  }
}

async function settingsIn(files: ProjectFiles, root: VirtualPath): Promise<FolderSettings> {
  const file = joinPath(root, '.coppice/settings.json')
  const text = await projectText(files, file)
  if (text === undefined) return { deny: [], ask: [], checks: [], setup: undefined, problems: [] }
  const { settings, found } = parseSettings(file, text)
  const { deny = [], ask = [] } = settings.permissions ?? {}
  const unused = [...deny, ...ask].filter((rule) => ruleBelow(root, rule) === null)
  const below = (rules: readonly string[]) => rules.flatMap((rule) => ruleBelow(root, rule) ?? [])
  return {
    ...{ deny: below(deny), ask: below(ask) },
    checks: (settings.checks ?? []).map((check) => checkBelow(root, check)),
    setup: setupBelow(root, settings.environment),
    problems: [
      ...found.map(({ said: message, about, gate }) => ({ file, line: null, about, message, ...(gate && { gate }) })),
      ...unused.map((rule) => ({
        ...{ file, line: null, about: 'permissions' },
        message: `The rule ${rule} is not used: of another folder of the project, rules with a pattern of files count.`,
      })),
    ],
  }
}

/** The same rule about files below the folder. Null for one that is about something else. */
function ruleBelow(root: VirtualPath, text: string): string | null {
  const rule = parseRule(text)
  if (!rule || rule.pattern === null || isAboutEffects(text) || rule.tool === toolFacts.execute.name) return null
  return `${rule.tool}(${root}/${rule.pattern.replace(/^\.?\//, '')})`
}

/** Its name begins with that of the folder, always: it stays the same when another folder gets a check of that name. */
function checkBelow(root: VirtualPath, { name, run, paths, ...rest }: CheckDefinition): CheckDefinition {
  const own = paths.length === 0 ? ['**'] : paths
  return {
    ...rest,
    name: `${nameOf(root)}: ${name}`,
    run: runIn(root, run),
    paths: own.map((path) => below(root, path)),
  }
}

function setupBelow(root: VirtualPath, environment: Settings['environment']): FolderSettings['setup'] {
  if (environment?.setup === undefined) return undefined
  const { setup, inputs = [], hosts = [] } = environment
  return { setup: runIn(root, setup), inputs: inputs.map((input) => below(root, input)), hosts }
}

/** A command line that starts in a folder. A folder that is not there must not let it run in another one. */
function runIn(root: VirtualPath, command: string): string {
  return `cd "\${${folderVariable(nameOf(root))}:?}" || exit\n${command}`
}

/** A pattern of files of a folder, as one of the project. */
function below(root: VirtualPath, pattern: string): string {
  return `${root.slice(1).replace(/[*?[\]{}\\]/g, '?')}/${pattern.replace(/^\.?\/+/, '')}`
}

/** One after the other, since what a setup leaves is one list of layers. The first that fails ends it. */
function joinSetups(first: Settings['environment'], others: readonly FolderSettings[]): Settings['environment'] {
  const setups = others.flatMap(({ setup }) => setup ?? [])
  if (setups.length === 0) return first
  const all = first?.setup === undefined ? setups : [first, ...setups]
  const commands = all.flatMap(({ setup }) => setup ?? [])
  return {
    ...first,
    setup: commands.length === 1 ? commands.join('') : commands.map((one) => `(\n${one}\n)`).join(' &&\n'),
    inputs: all.flatMap(({ inputs = [] }) => inputs),
    hosts: [...new Set(all.flatMap(({ hosts = [] }) => hosts))],
  }
}
