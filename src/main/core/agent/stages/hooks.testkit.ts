import { isJsonObject, type JsonObject } from '#shared/base/json.ts'
import type { HookEvent, HookSource } from '#shared/model/calls/hooks.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { HookEnd } from '../../ports/programs/hook-programs.ts'
import { type Hook, type HookList, noHooks } from '../types/extensions.ts'

/** What a hook prints, or how it ends. */
export type HookAnswer = JsonObject | Partial<HookEnd>

/** A hook of a test, and what it answers. */
export interface TestHook {
  readonly event: HookEvent
  readonly answer: (message: JsonObject) => HookAnswer
  readonly matcher?: string
  readonly condition?: string
  readonly source?: HookSource
}

/** The hooks of a test, in place of programs. `asked` holds every message. All of them run on the machine. */
export function testHooks(
  ...given: readonly TestHook[]
): Partial<HookList> & { readonly asked: readonly JsonObject[] } {
  const asked: JsonObject[] = []
  const answers = new Map<Hook, TestHook['answer']>()
  for (const [index, { event, answer, matcher = null, condition = null, source = 'settings' }] of given.entries()) {
    const kind = { inBackground: false, once: false, blocksOnFailure: false, timeoutMs: 60_000, args: null }
    const command = `hook-${index}`
    answers.set({ event, matcher, condition, source, command, file: 'settings.json', hash: command, ...kind }, answer)
  }
  const hooks = [...answers.keys()]
  const begun = new Set<string>()
  return {
    ...noHooks,
    asked,
    active: () => hooks,
    begins(threadId) {
      const isNew = !begun.has(threadId)
      begun.add(threadId)
      return isNew
    },
    begun: () => [...begun] as ThreadId[],
    async run(hook, message) {
      asked.push(message)
      const answer = answers.get(hook)?.(message) ?? {}
      const isEnd = 'exitCode' in answer || 'problem' in answer
      const end = { exitCode: 0, stdout: '', stderr: '', problem: null }
      return isEnd ? { ...end, ...(answer as Partial<HookEnd>) } : { ...end, stdout: textOf(answer as JsonObject) }
    },
  }
}

function textOf(answer: JsonObject): string {
  return isJsonObject(answer) && Object.keys(answer).length > 0 ? JSON.stringify(answer) : ''
}

/** An answer before a call. */
export function decides(permissionDecision: string, more: JsonObject = {}): JsonObject {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...more } }
}

/** A refusal by exit code. */
export function refuses(reason: string): Partial<HookEnd> {
  return { exitCode: 2, stderr: reason }
}
