import type { ModelClient, ModelReply } from '../../../src/main/core/ports/model-client.ts'
import type { ToolCallId } from '../../../src/shared/model/ids.ts'
import { noUsage } from '../../../src/shared/model/models/usage.ts'

export type ScriptedCall = 'read' | 'write'

/**
 * A model in memory that makes one call in each step. It records when each request came and when its answer was
 * complete.
 */
export interface ScriptedModel {
  readonly client: ModelClient
  /** Milliseconds from each answer to the next request. */
  gaps(): readonly number[]
}

export function createScriptedModel(call: ScriptedCall, steps: number): ScriptedModel {
  const asked: number[] = []
  const answered: number[] = []
  return {
    client: {
      async *stream() {
        asked.push(performance.now())
        const reply = asked.length <= steps ? callingReply(call, asked.length) : lastReply
        answered.push(performance.now())
        yield { type: 'reply', reply }
      },
      models: async () => [],
    },
    gaps: () => asked.slice(1).map((at, index) => at - (answered[index] ?? Number.NaN)),
  }
}

const text = 'The agent explains in a few sentences what it found and what it does next. '.repeat(12)

function callingReply(call: ScriptedCall, step: number): ModelReply {
  const made =
    call === 'read'
      ? { name: 'read_todos', input: {} }
      : { name: 'write_file', input: { file_path: `/notes/${step % 50}.md`, content: `${step}\n${text}` } }
  return {
    content: [
      { type: 'text', text },
      { type: 'tool_call', callId: `call-${step}` as ToolCallId, ...made },
    ],
    stopReason: 'tool_use',
    usage: noUsage,
  }
}

const lastReply: ModelReply = { content: [{ type: 'text', text: 'Done.' }], stopReason: 'end_turn', usage: noUsage }
