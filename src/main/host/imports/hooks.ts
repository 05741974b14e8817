import { looksSecret } from '#core/secrets/secrets.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import { hooksIn } from '../hooks/read-hooks.ts'
import { type Draft, leftOut, type Origin } from './draft.ts'

/** Names of tools that mean the same in both programs. */
const sameTools = /^(?:Bash|mcp__\w[\w-]*)$/
const withTools: ReadonlySet<string> = new Set(['PreToolUse', 'PostToolUse', 'PermissionRequest'])
const mostHooks = 200

/**
 * Hooks in the form of Claude Code, which Codex has as well: by event, in groups with a matcher. Each becomes one of the
 * person's own, switched off. Hooks of a folder do not: there they are confined, and the person's own are not.
 */
export function hookDrafts(origin: Origin, given: unknown, isSameTool = sameTools): readonly Draft[] {
  if (!isJsonObject(given)) return []
  const groups = Object.entries(given).flatMap(([event, list]) =>
    Array.isArray(list) ? (list as readonly JsonValue[]).map((group) => ({ event, group })) : [],
  )
  return groups.slice(0, mostHooks).flatMap(({ event, group }) => {
    const hooks = isJsonObject(group) && Array.isArray(group.hooks) ? (group.hooks as readonly JsonValue[]) : []
    return hooks
      .slice(0, mostHooks)
      .map((hook) => hookDraft(origin, event, isJsonObject(group) ? group : {}, hook, isSameTool))
  })
}

function hookDraft(origin: Origin, event: string, group: JsonObject, hook: JsonValue, isSameTool: RegExp): Draft {
  const command = isJsonObject(hook) && typeof hook.command === 'string' ? hook.command : ''
  const isSecret = looksSecret(JSON.stringify(hook))
  const name = isSecret ? event : `${event}: ${command.slice(0, 100)}`
  const refuse = (why: string) => leftOut(origin, name, why)
  if (origin.scope === 'folder')
    return refuse('A hook of a folder is not taken: your own run outside of the sandbox, in every project.')
  const matcher = typeof group.matcher === 'string' ? group.matcher : ''
  if (
    withTools.has(event) &&
    !(matcher === '' || matcher === '*' || matcher.split('|').every((one) => isSameTool.test(one)))
  )
    return refuse(
      `Its matcher ${JSON.stringify(matcher.slice(0, 80))} names tools as Codex does, which are other ones here.`,
    )
  if (isSecret) return refuse('It holds what looks like a key, a token or a password.')
  const own = { ...(matcher !== '' && { matcher }), hooks: [hook] }
  const { hooks, problems } = hooksIn({ [event]: [own] }, { source: 'settings', file: '' })
  const [problem] = problems
  if (hooks.length !== 1) return refuse((problem ?? ': It cannot be read.').replace(/^: hooks\.\w*: /, ''))
  const note =
    'It comes switched off, since it runs on this machine as you: look at it in Settings → Hooks, and switch it on there.'
  return { ...origin, name, becomes: { to: 'hook', event, group: own }, notes: [note], isWhole: true }
}
