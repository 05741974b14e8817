import { join } from 'node:path'
import { readBounded } from '#adapters/system/read-bounded.ts'
import { parseRule } from '#core/approval/rules.ts'
import type { JsonObject, JsonValue } from '#shared/base/json.ts'
import { isJsonObject } from '#shared/base/json.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type ProjectFiles, projectText } from '../extensions/project-text.ts'
import { type HookFile, hooksIn, parseClaudeSettings, type ReadHooks } from './read-hooks.ts'

/** What a settings file of Claude Code says that counts here. */
export interface ClaudeSettings extends ReadHooks {
  /** Rules that deny or ask. Those that allow are never taken. */
  readonly deny: readonly string[]
  readonly ask: readonly string[]
  /** What of it does not count, in sentences for a person. Those about hooks are in `problems`. */
  readonly notes: readonly string[]
}

/** Of a person or a project without such a file. */
export const noClaudeSettings: ClaudeSettings = { hooks: [], problems: [], deny: [], ask: [], notes: [] }

const projectFiles = [
  { source: 'project', file: '/.claude/settings.json' },
  { source: 'project_local', file: '/.claude/settings.local.json' },
] as const

/** Those of a trusted project. */
export function projectClaudeSettings(files: ProjectFiles): Promise<readonly ClaudeSettings[]> {
  return Promise.all(
    projectFiles.map(async ({ source, file }) => {
      const text = await projectText(files, file as VirtualPath)
      return text === undefined ? noClaudeSettings : readClaudeSettings(text, { source, file })
    }),
  )
}

/** The person's own, in their home. */
export function homeClaudeSettings(environment: Readonly<Record<string, string | undefined>>): ClaudeSettings {
  const home = environment.HOME ?? environment.USERPROFILE
  if (home === undefined || home === '') return noClaudeSettings
  const file = join(home, '.claude', 'settings.json')
  const text = textOf(file)
  return text === undefined ? noClaudeSettings : readClaudeSettings(text, { source: 'home', file })
}

function textOf(file: string): string | undefined {
  try {
    return readBounded(file).toString()
  } catch {
    return undefined
  }
}

function readClaudeSettings(text: string, from: HookFile): ClaudeSettings {
  const problems: string[] = []
  const settings = parseClaudeSettings(text, from.file, problems)
  if (settings === undefined) return { ...noClaudeSettings, problems }
  const { hooks, problems: wrong } =
    settings.disableAllHooks === true ? noClaudeSettings : hooksIn(settings.hooks, from)
  return { hooks, problems: [...problems, ...wrong], ...rulesIn(settings, from.file) }
}

/** Rules are read narrowing only: what would allow more is named and left. */
function rulesIn({ permissions }: JsonObject, file: string): Pick<ClaudeSettings, 'deny' | 'ask' | 'notes'> {
  if (!isJsonObject(permissions)) return { deny: [], ask: [], notes: [] }
  const [deny, ask, allow] = [textsIn(permissions.deny), textsIn(permissions.ask), textsIn(permissions.allow)]
  const isRule = (text: string) => parseRule(text) !== undefined
  const unread = [...deny, ...ask].filter((text) => !isRule(text))
  const left = [
    ...(allow.length > 0
      ? [`its ${allow.length === 1 ? 'rule' : `${allow.length} rules`} that would allow something`]
      : []),
    ...['defaultMode', 'additionalDirectories'].filter((key) => permissions[key] !== undefined),
    ...(unread.length > 0 ? [`what is no rule: ${unread.slice(0, 5).join(', ')}`] : []),
  ]
  return {
    ...{ deny: deny.filter(isRule), ask: ask.filter(isRule) },
    notes:
      left.length === 0 ? [] : [`${file}: permissions: what denies and asks counts. Not taken: ${left.join('; ')}.`],
  }
}

function textsIn(given: JsonValue | undefined): readonly string[] {
  return Array.isArray(given) ? given.flatMap((one: JsonValue) => (typeof one === 'string' ? [one] : [])) : []
}
