import type { DecisionType } from '#shared/model/calls/interrupt.ts'
import type { PermissionRules } from '#shared/model/settings.ts'
import type { EffectKind } from './effects.ts'
import { patternProblem } from './rule-problems.ts'
import { parseRule } from './rules.ts'
import { type KnownServerTools, namesTool, resolveToolName } from './tool-names.ts'

/**
 * A setting for one tool: ask, do not ask, or ask with only these answers. With `when`, it applies only to calls that
 * fit one of the patterns, which are written as in rules.
 */
export type InterruptSetting =
  | boolean
  | { readonly allowed_decisions: readonly DecisionType[]; readonly when?: readonly string[] | undefined }

/** By the name of a tool, or by a glob of names. */
export type InterruptSettings = ReadonlyMap<string, InterruptSetting>

/** A setting and the name it was found under. */
export interface NamedSetting {
  readonly name: string
  readonly setting: InterruptSetting
}

/** What one call is and does, as far as settings are concerned. */
export interface SettingSubject {
  readonly tool: string
  /** The kinds of changes that it makes, or could make. */
  readonly kinds: ReadonlySet<EffectKind>
  /** True when it shows the content of files. */
  readonly reads: boolean
  /** True when it starts other agents. */
  readonly delegates: boolean
  /** True when it changes the todo list. */
  readonly plans: boolean
}

/** Tools that change a part of a file. Whatever else modifies a file could replace all of it. */
const partialEdits: ReadonlySet<string> = new Set(['edit_file', 'multi_edit'])

/** The tools that do the same with a file of the branch as with given code. */
const codeTools: ReadonlyMap<string, string> = new Map([
  ['run_js_file', 'run_js_code'],
  ['run_python_file', 'run_python_code'],
])

/**
 * The settings that speak about a call: those of its own tool, and those of the tools whose effect it has. So a setting
 * for `edit_file` covers everything that changes a file that exists.
 */
export function findSettings(settings: InterruptSettings, subject: SettingSubject): readonly NamedSetting[] {
  if (settings.size === 0) return []
  const { tool, kinds, reads, delegates, plans } = subject
  const code = codeTools.get(tool)
  const groups: readonly (readonly string[])[] = [
    [tool],
    ...(code === undefined ? [] : [[code]]),
    ...(reads ? [['read_file']] : []),
    ...(delegates ? [['task']] : []),
    ...(plans ? [['write_todos']] : []),
    ...[...kinds].map((kind) => namesOfKind(settings, kind, tool)),
  ]
  const names = new Set(groups.flat())
  return [...settings].flatMap(([name, setting]) =>
    [...names].some((one) => namesTool(name, one)) ? [{ name, setting }] : [],
  )
}

/** The tools whose settings cover a kind of change. A deletion or a move is an edit unless it has a setting. */
function namesOfKind(settings: InterruptSettings, kind: EffectKind, tool: string): readonly string[] {
  const edits = ['edit_file', 'multi_edit']
  switch (kind) {
    case 'create':
      return ['write_file']
    case 'modify':
      return partialEdits.has(tool) ? edits : [...edits, 'write_file']
    case 'delete':
    case 'move': {
      // Only a setting for every deletion or move takes the place of the one for edits.
      const own = settings.get(kind)
      return own !== undefined && !hasPatterns(own) ? [kind] : [kind, ...edits]
    }
  }
}

/** True for a setting that applies only to calls that fit a pattern. */
export function hasPatterns(setting: InterruptSetting): boolean {
  return typeof setting === 'object' && setting.when !== undefined
}

/** Settings under our names of the tools. The stricter one counts when two names mean one tool. */
export function resolveSettings(settings: InterruptSettings, known: KnownServerTools): InterruptSettings {
  const resolved = new Map<string, InterruptSetting>()
  for (const [given, setting] of settings) {
    const found = resolveToolName(given, known)
    if (!found.ok) continue
    const other = resolved.get(found.name)
    resolved.set(found.name, other === undefined ? setting : stricterSetting(other, setting))
  }
  return resolved
}

/** A sentence for each name that means no tool, and for each pattern that no call of its tool can fit. */
export function settingProblems(settings: InterruptSettings, known: KnownServerTools): readonly string[] {
  return [...settings].flatMap(([given, setting]) => {
    const found = resolveToolName(given, known)
    if (!found.ok) return [`interrupt_on: ${found.problem}`]
    const patterns = typeof setting === 'object' ? (setting.when ?? []) : []
    return patterns.flatMap((pattern) => {
      const problem = patternProblem(found.name, pattern, 'ask')
      return problem === undefined ? [] : [`interrupt_on: ${given}: when ${JSON.stringify(pattern)}: ${problem}`]
    })
  })
}

/** Settings that a rule takes away: it lets every call of their tool pass before they could ask. */
export function passedSettings(settings: InterruptSettings, { allow }: PermissionRules): readonly string[] {
  const whole = allow.filter((text) => parseRule(text)?.pattern === null)
  return [...settings].flatMap(([name, setting]) => {
    const rule = setting === false ? undefined : whole.find((text) => namesTool(parseRule(text)?.tool ?? '', name))
    return rule === undefined
      ? []
      : [
          `interrupt_on: ${name} could never ask, because permissions.allow has ${JSON.stringify(rule)}. Remove one of them.`,
        ]
  })
}

function stricterSetting(one: InterruptSetting, other: InterruptSetting): InterruptSetting {
  if (one === false) return other
  if (other === false) return one
  if (one === true) return other === true || other.when !== undefined ? true : other
  if (other === true) return one.when === undefined ? one : true
  const allowed_decisions = commonAnswers([one.allowed_decisions, other.allowed_decisions])
  const when = one.when && other.when ? [...one.when, ...other.when] : undefined
  return { allowed_decisions, ...(when && { when }) }
}

/** The answers that every list allows, and a rejection when there is none: a call never waits for ever. */
export function commonAnswers(lists: readonly (readonly DecisionType[])[]): readonly DecisionType[] {
  const [first = [], ...rest] = lists
  const common = first.filter((answer) => rest.every((list) => list.includes(answer)))
  return common.length > 0 ? common : ['reject']
}
