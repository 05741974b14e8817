import type { JsonObject, JsonValue } from '#shared/base/json.ts'
import { textOf } from '#shared/model/message.ts'
import type { ProgramMoment } from '#shared/model/settings.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { JsonProgramError, type JsonPrograms } from '../../ports/programs/json-programs.ts'
import type { ProgramStage } from '../types/tuning.ts'
import type { Stage, StageAnswer, StageMoment, StageQuestion } from './stage.ts'

const moments: Partial<Record<StageMoment, ProgramMoment>> = {
  BeforeRequest: 'request',
  PreToolUse: 'call',
  PostToolUse: 'result',
}

/** A program of `middleware`, which speaks lines of JSON. One that fails never lets anything pass. */
export function createLineStage(programs: JsonPrograms, { name, on, command, timeoutMs }: ProgramStage): Stage {
  return {
    name: `the stage ${name}`,
    source: 'stage',
    inTurn: true,
    isAbout({ moment }) {
      const own = moments[moment]
      return own !== undefined && on.includes(own)
    },
    async ask(question, signal) {
      const event = moments[question.moment] ?? 'request'
      try {
        const answer = await programs.ask({ command, timeoutMs, message: { event, ...messageOf(question) } }, signal)
        return answerOf(event, answer)
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof JsonProgramError)) throw error
        const problem = `The stage ${name} of your settings failed. ${error.message}`
        return { problem, verdict: { kind: 'refuse', reason: problem } }
      }
    },
  }
}

function messageOf({ thread, about }: StageQuestion): JsonObject {
  if (!about) return { agent: thread.agent, model: thread.model, messages: shownMessages(thread) }
  const { call, args, output } = about
  return { tool: call.name, args, ...(output && { ok: output.ok, content: textOf(output.content) }) }
}

function answerOf(event: ProgramMoment, { add, stop, refuse, ask, content }: JsonObject): StageAnswer {
  switch (event) {
    case 'request':
      return {
        ...(typeof add === 'string' && add !== '' && { add }),
        ...(typeof stop === 'string' && { stop }),
      }
    case 'call':
      if (typeof refuse === 'string') return { verdict: { kind: 'refuse', reason: refuse } }
      return typeof ask === 'string' ? { verdict: { kind: 'ask', reason: ask } } : {}
    case 'result':
      return typeof content === 'string' ? { content } : {}
  }
}

/** The conversation as texts. Calls and results are left out, because a stage sees each of them on its own. */
function shownMessages({ messages }: ThreadState): JsonValue[] {
  return messages.flatMap((message) => {
    const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
    return text === '' ? [] : [{ role: message.role, text }]
  })
}
