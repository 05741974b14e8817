import type { Settings } from '#adapters/settings/settings-schema.ts'
import { ruleProblems } from '#core/approval/rule-problems.ts'
import type { KnownServerTools } from '#core/approval/tool-names.ts'
import type { ExtensionProblem } from '../extensions/front-matter.ts'
import type { ClaudeSettings } from './claude-settings.ts'

interface NarrowingSettings {
  readonly settings: Settings
  readonly problems: readonly ExtensionProblem[]
}

/**
 * Settings that narrow, with the rules that deny and ask in settings of Claude Code. A rule that could never hold here is named
 * and left: a file for another program is no reason to keep a run from starting.
 */
export function joinPermissions(
  { settings, problems }: NarrowingSettings,
  others: readonly ClaudeSettings[],
  known: KnownServerTools,
): NarrowingSettings {
  const read = others.map(({ deny, ask, notes }) => {
    const wrong = ruleProblems({ deny, ask, allow: [] }, known)
    const isUsed = (text: string) => wrong.every((one) => one.text !== text)
    return { deny: deny.filter(isUsed), ask: ask.filter(isUsed), notes, wrong }
  })
  const [deny, ask] = [read.flatMap((one) => one.deny), read.flatMap((one) => one.ask)]
  const said = read.flatMap(({ notes, wrong }) => [
    ...notes,
    ...wrong.map(
      ({ effect, text, problem }) => `A rule of Claude Code is not used: permissions.${effect}: ${text}: ${problem}`,
    ),
  ])
  const own = settings.permissions ?? { deny: [], ask: [], allow: [] }
  return {
    settings:
      deny.length + ask.length === 0
        ? settings
        : { ...settings, permissions: { ...own, deny: [...own.deny, ...deny], ask: [...own.ask, ...ask] } },
    problems: [
      ...problems,
      ...said.map((message) => ({ file: '.claude/settings.json', line: null, about: 'permissions', message })),
    ],
  }
}
