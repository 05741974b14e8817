import { parseSettings } from '#adapters/settings/settings-file.ts'
import { isAboutEffects } from '#core/approval/effects-rules.ts'
import { parseRule } from '#core/approval/rules.ts'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import type { ExtensionProblem } from './front-matter.ts'
import { type ProjectFiles, projectText } from './project-text.ts'

/** Rules that the folders of a project beside the first one have about their files, as rules of the project. */
export interface FolderRules {
  readonly deny: readonly string[]
  readonly ask: readonly string[]
  readonly problems: readonly ExtensionProblem[]
}

/** A rule that protects a file of a folder protects it wherever the folder is seen. All else there counts for its own project alone. */
export async function readFolderRules(files: ProjectFiles): Promise<FolderRules> {
  const roots = files.base.roots?.() ?? []
  const all = await Promise.all(roots.map((root) => rulesIn(files, root)))
  return {
    deny: all.flatMap(({ deny }) => deny),
    ask: all.flatMap(({ ask }) => ask),
    problems: all.flatMap(({ problems }) => problems),
  }
}

async function rulesIn(files: ProjectFiles, root: VirtualPath): Promise<FolderRules> {
  const file = joinPath(root, '.coppice/settings.json')
  const text = await projectText(files, file)
  if (text === undefined) return { deny: [], ask: [], problems: [] }
  const { settings, found } = parseSettings(file, text)
  const { deny = [], ask = [] } = settings.permissions ?? {}
  const unused = [...deny, ...ask].filter((rule) => ruleBelow(root, rule) === null)
  const below = (rules: readonly string[]) => rules.flatMap((rule) => ruleBelow(root, rule) ?? [])
  return {
    ...{ deny: below(deny), ask: below(ask) },
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
