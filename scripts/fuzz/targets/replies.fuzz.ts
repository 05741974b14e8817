import { createReplyBuilder } from '../../../src/main/adapters/anthropic/reply-builder.ts'
import { toRequest } from '../../../src/main/adapters/anthropic/to-request.ts'
import { checkReply } from '../../../src/main/adapters/model-http/check-reply.ts'
import { factsOf } from '../../../src/main/adapters/model-http/model-facts.testkit.ts'
import type { ReplyBuilder } from '../../../src/main/adapters/model-http/stream-reply.ts'
import { complaintAbout, type Wire } from '../../../src/main/adapters/model-http/strict-server.testkit.ts'
import { wellFormed } from '../../../src/main/adapters/model-http/well-formed.ts'
import { createCompletionBuilder } from '../../../src/main/adapters/openai/completion-builder.ts'
import { toCompletion } from '../../../src/main/adapters/openai/to-completion.ts'
import type { ModelReply, ModelRequest, RequestMessage } from '../../../src/main/core/ports/model-client.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const facts = factsOf('m1')
const ask = { role: 'user', content: [{ type: 'text', text: 'Go on.' }] } as const
const first: ModelRequest = {
  ...{ model: 'm1', system: 'Be brief.', messages: [ask], maxTokens: 100, temperature: null, effort: null },
  tools: [{ name: 'ls', description: 'Lists.', inputSchema: { type: 'object', properties: {} } }],
}
/** A model's server gets the ids that it gave, however odd. One that is stricter than itself refuses them, and gets ours. */
const ownIdsRefused: ReadonlySet<string> = new Set(['own_ids'])
const wires = {
  messages: { createBuilder: createReplyBuilder, write: toRequest },
  completions: { createBuilder: createCompletionBuilder, write: toCompletion },
} as const

/** The events of a stream, each a line of JSON, as the first word says in the form of messages or of completions. */
export const replies: FuzzTarget = {
  name: 'replies',
  seeds: [
    'messages\n{"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}\n{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}\n{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}\n{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}\n{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"ls","input":{}}}\n{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\\"path\\":\\"/\\"}"}}\n{"type":"content_block_stop","index":1}\n{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":5}}\n{"type":"message_stop"}',
    'messages\n{"type":"message_start","message":{"content":[]}}\n{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi \\ud83d\\ude00"}}\n{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"x"}}\n{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}\n{"type":"message_stop"}',
    'completions\n{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi "},"finish_reason":null}]}\n{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"ls","arguments":"{\\"path\\":"}}]}}]}\n{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\\"/\\"}"}}]}}]}\n{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}',
    'completions\n{"choices":[{"index":0,"delta":{"reasoning_content":"Hm.","content":null,"reasoning_details":[{"type":"reasoning.text","text":"Hm.","index":0}]}}]}\n{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"b","function":{"name":"ls","arguments":"{}"},"extra_content":{"google":{"thought_signature":"s"}}}]},"finish_reason":"stop"}]}\n{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":1}}}',
    'completions\n{"choices":[{"delta":{"content":[{"type":"text","text":"a"}]},"finish_reason":"length"}]}\n{"error":{"message":"overloaded","code":529}}',
  ],
  run(input) {
    const [word, ...lines] = input.toString().split('\n')
    const wire: Wire = word === 'completions' ? 'completions' : 'messages'
    const reply = read(wires[wire].createBuilder() as ReplyBuilder<unknown>, lines)
    if (reply === null) return
    const { calls, said, shown } = reply
    requireLaw(shown.trim() === '' || said.includes(shown.trim()), 'a text that was shown is in the reply')
    const results = calls.map((callId) => ({ type: 'tool_result', callId, content: [], isError: false }) as const)
    const messages: readonly RequestMessage[] = [
      ask,
      reply.message,
      ...(results.length > 0 ? [{ role: 'user', content: results } as const] : []),
      ask,
    ]
    for (const [other, { write }] of Object.entries(wires)) {
      const body = write(wellFormed({ ...first, messages }), facts, ownIdsRefused)
      const complaint = complaintAbout(other as Wire, JSON.stringify(body))
      requireLaw(complaint === null, `the thread goes on in the form of ${other}: ${complaint}`)
    }
  },
}

/** Null for a stream that is refused whole, which is asked for again. */
function read(builder: ReplyBuilder<unknown>, lines: readonly string[]) {
  let shown = ''
  let sent: ModelReply
  try {
    for (const line of lines)
      for (const event of builder.accept(JSON.parse(line))) if (event.type === 'text') shown += event.text
    if (!builder.isComplete()) return null
    sent = checkReply(builder.reply(), first, facts)
  } catch {
    return null
  }
  // The app gives calls ids of its own where those of the model are no plain names, or stand twice.
  const content = sent.content.map((part, index) =>
    part.type === 'tool_call' ? { ...part, callId: `call_${index}` as typeof part.callId } : part,
  )
  const calls = content.flatMap((part) => (part.type === 'tool_call' ? [part.callId] : []))
  const said = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return { message: { role: 'assistant', content, from: 'm1' } as const, calls, said, shown }
}
