import type { JsonObject, JsonValue } from '#shared/base/json.ts'
import { textOf } from '#shared/model/message.ts'
import type { ProgramMoment } from '#shared/model/settings.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { JsonProgramError, type JsonPrograms } from '../../ports/programs/json-programs.ts'
import { failedOutput } from '../../tools/tool.ts'
import type { CallStages } from '../calls/call-context.ts'
import type { ProgramStage } from '../types/tuning.ts'

/** The user's own stages of an agent. One that fails never lets anything pass. */
export interface ProgramStages extends CallStages {
  /** Texts to tell the agent before its next request, or why the run ends here. */
  beforeRequest(thread: ThreadState, signal: AbortSignal): Promise<RequestAdvice>
}

export interface RequestAdvice {
  readonly add: readonly string[]
  /** Why the run ends: a stage wants it, or one failed. Null when it goes on. */
  readonly end: { readonly failed: boolean; readonly message: string } | null
}

export function createProgramStages(programs: JsonPrograms, stages: readonly ProgramStage[]): ProgramStages {
  /** Asks the stages of a moment in their order. `use` takes each answer and says whether to go on. */
  async function askEach(
    moment: ProgramMoment,
    message: () => JsonObject,
    use: (answer: JsonObject, stage: ProgramStage) => boolean,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    for (const stage of stages.filter(({ on }) => on.includes(moment))) {
      try {
        const { command, timeoutMs } = stage
        const answer = await programs.ask({ command, timeoutMs, message: { event: moment, ...message() } }, signal)
        if (!use(answer, stage)) return undefined
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof JsonProgramError)) throw error
        return `The stage ${stage.name} of your settings failed. ${error.message}`
      }
    }
    return undefined
  }

  return {
    async beforeRequest(thread, signal) {
      const add: string[] = []
      let end: RequestAdvice['end'] = null
      const describe = (): JsonObject => ({ agent: thread.agent, model: thread.model, messages: shownMessages(thread) })
      const problem = await askEach(
        'request',
        describe,
        (answer, { name }) => {
          if (typeof answer.add === 'string' && answer.add !== '') add.push(answer.add)
          if (typeof answer.stop === 'string')
            end = { failed: false, message: `The stage ${name} ended the run: ${answer.stop}` }
          return end === null
        },
        signal,
      )
      return { add, end: problem === undefined ? end : { failed: true, message: problem } }
    },
    async judgeCall({ name }, args, signal) {
      let gate: Awaited<ReturnType<CallStages['judgeCall']>>
      const problem = await askEach(
        'call',
        () => ({ tool: name, args }),
        (answer, stage) => {
          if (typeof answer.refuse === 'string')
            gate = { kind: 'refuse', message: `Refused by the stage ${stage.name}: ${answer.refuse}` }
          else if (typeof answer.ask === 'string')
            gate = {
              kind: 'ask',
              rule: `stage ${stage.name}: ${answer.ask}`,
              risk: 'high',
              allowed: ['approve', 'edit', 'reject'],
            }
          return gate?.kind !== 'refuse'
        },
        signal,
      )
      return problem === undefined ? gate : { kind: 'refuse', message: problem }
    },
    async filterOutput({ name, input }, output, signal) {
      let content = output.content
      const problem = await askEach(
        'result',
        () => ({ tool: name, args: input, ok: output.ok, content: textOf(content) }),
        (answer) => {
          if (typeof answer.content === 'string') content = [{ type: 'text', text: answer.content }]
          return true
        },
        signal,
      )
      return problem === undefined ? { ...output, content } : failedOutput(problem)
    },
  }
}

/** The conversation as texts. Calls and results are left out, because a stage sees each of them on its own. */
function shownMessages({ messages }: ThreadState): JsonValue[] {
  return messages.flatMap((message) => {
    const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
    return text === '' ? [] : [{ role: message.role, text }]
  })
}
