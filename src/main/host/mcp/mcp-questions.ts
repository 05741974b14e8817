import { randomUUID } from 'node:crypto'
import { WireError } from '#shared/contract/wire-errors.ts'
import {
  type AskedByServer,
  answerProblem,
  type ServerAnswer,
  type ServerQuestion,
} from '#shared/model/calls/server-question.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'

/** The questions of servers that wait for a person. They end with the call during which they were asked, and with the app. */
export interface McpQuestions {
  /** Oldest first. */
  list(): readonly ServerQuestion[]
  /** Resolves with the person's answer, and as cancelled when `signal` is aborted. Never rejects. */
  ask(about: AskedAbout, question: AskedByServer, signal: AbortSignal): Promise<ServerAnswer>
  /** Throws `NOT_FOUND` for a question that waits no longer, and `REFUSED` for an answer that does not fit it. */
  answer(id: string, answer: ServerAnswer): void
}

/** During which call a server asked. */
export interface AskedAbout {
  readonly server: string
  readonly threadId: ThreadId
  readonly callId: ToolCallId
}

/** `changed` is called when a question of a call comes or goes. */
export function createMcpQuestions(changed: (about: AskedAbout) => void): McpQuestions {
  const open = new Map<string, { readonly question: ServerQuestion; readonly end: (answer: ServerAnswer) => void }>()
  return {
    list: () => [...open.values()].map(({ question }) => question),
    ask(about, question, signal) {
      const id = randomUUID()
      const { promise, resolve } = Promise.withResolvers<ServerAnswer>()
      const end = (answer: ServerAnswer) => {
        if (!open.delete(id)) return
        signal.removeEventListener('abort', cancel)
        resolve(answer)
        changed(about)
      }
      const cancel = () => end({ action: 'cancel' })
      open.set(id, { question: { ...question, ...about, id }, end })
      signal.addEventListener('abort', cancel)
      if (signal.aborted) cancel()
      else changed(about)
      return promise
    },
    answer(id, answer) {
      const asked = open.get(id)
      if (!asked) throw new WireError('NOT_FOUND', 'The server waits for this answer no longer.')
      const problem = answerProblem(asked.question, answer)
      if (problem !== null) throw new WireError('REFUSED', problem)
      asked.end(answer)
    },
  }
}
