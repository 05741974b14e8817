import { looksSecret } from '#core/secrets/secrets.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import { type Draft, leftOut, type Origin } from './draft.ts'

/** The draft of a rule that denies or asks. It counts in every project, also when a folder has it. */
export function ruleDraft(origin: Origin, effect: 'deny' | 'ask', rule: string, name: string): Draft {
  const notes = origin.scope === 'folder' ? ['There it is for this folder; here it is for every project.'] : []
  return { ...origin, name: name.slice(0, 200), becomes: { to: 'rule', effect, rule }, notes, isWhole: true }
}

/** One rule of OpenCode, in the order in which the file has them. The last one that fits a call counts. */
interface OrderedRule {
  readonly action: string
  readonly pattern: string
  readonly effect: string
}

const mostRules = 500

/** `permission` of OpenCode: one word, words by action, or words by action and pattern. */
export function rulesByAction(given: JsonValue | undefined): readonly OrderedRule[] {
  if (typeof given === 'string') return [{ action: '*', pattern: '*', effect: given }]
  if (!isJsonObject(given)) return []
  return Object.entries(given).flatMap(([action, value]) =>
    isJsonObject(value)
      ? Object.entries(value).map(([pattern, effect]) => ({ action, pattern, effect: String(effect) }))
      : [{ action, pattern: '*', effect: String(value) }],
  )
}

/** `permissions` of OpenCode 2: a list of rules. */
export function rulesInList(given: JsonValue | undefined): readonly OrderedRule[] {
  if (!Array.isArray(given)) return []
  return (given as readonly JsonValue[]).filter(isJsonObject).map((one: JsonObject) => ({
    action: String(one.action),
    pattern: String(one.resource ?? '*'),
    effect: String(one.effect),
  }))
}

const aboutSecrets = 'It holds what looks like a key, a token or a password.'
const allowing = 'What it allows is not taken: write that into your own rules in Settings → Permissions.'

/**
 * The drafts of ordered rules. Here deny comes before ask, and ask before allow, wherever they stand. So a rule is taken only if
 * no later one of the same action lifts a part of it: then it means the same.
 */
export function orderedDrafts(origin: Origin, rules: readonly OrderedRule[]): readonly Draft[] {
  return rules.slice(0, mostRules).map(({ action, pattern, effect }, at) => {
    if (looksSecret(pattern)) return leftOut(origin, `${effect} ${action}`.slice(0, 200), aboutSecrets)
    const name = `${effect} ${action}${pattern === '*' ? '' : ` ${pattern}`}`.slice(0, 200)
    if (effect !== 'deny' && effect !== 'ask')
      return leftOut(origin, name, effect === 'allow' ? allowing : 'It is no rule.')
    const lifts = (one: OrderedRule) => (one.action === action || one.action === '*') && rank(one.effect) < rank(effect)
    if (rules.slice(at + 1).some(lifts))
      return leftOut(origin, name, 'A later rule of that file lifts a part of it. Here it would hold for all of it.')
    const rule = ruleFor(action, pattern)
    return rule === undefined
      ? leftOut(origin, name, 'It has no equal among the rules here.')
      : ruleDraft(origin, effect, rule, name)
  })
}

function rank(effect: string): number {
  return ['allow', 'ask', 'deny'].indexOf(effect)
}

const tools: ReadonlyMap<string, string> = new Map([
  ['bash', 'Bash'],
  ['shell', 'Bash'],
  ['edit', 'Edit'],
  ['read', 'Read'],
  ['webfetch', 'WebFetch'],
  ['task', 'Task'],
  ['subagent', 'Task'],
])

/** Undefined where a pattern means something else here. */
function ruleFor(action: string, pattern: string): string | undefined {
  const tool = tools.get(action)
  if (tool === undefined) return undefined
  if (pattern === '*') return tool
  if (tool === 'Bash') return /^[^*?()]+ \*$|^[^*?()]+$/.test(pattern) ? `Bash(${pattern})` : undefined
  if ((tool !== 'Edit' && tool !== 'Read') || pattern.split('/').includes('..')) return undefined
  // A star of OpenCode also stands for slashes.
  const [, ending] = /^\*(\.\w+)$/.exec(pattern) ?? []
  if (ending !== undefined) return `${tool}(**/*${ending})`
  const [, folder] = /^([\w./-]+\/)\*{1,2}$/.exec(pattern) ?? []
  if (folder !== undefined) return `${tool}(${folder}**)`
  return /^[\w./-]+$/.test(pattern) ? `${tool}(${pattern})` : undefined
}
