import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ModelClient, ModelReply, ModelRequest } from '#core/ports/model-client.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { AssistantPart } from '#shared/model/message.ts'
import { noUsage } from '#shared/model/models/usage.ts'
import { demoReply } from './demo-script.ts'
import type { DemoFiles, DemoReply } from './demo-subagents.ts'

/** The scripted model that shows the app offline. The window labels it as a demo wherever its name appears. */
export const demoModelId = 'demo'

/** Three words every 25 ms: slow enough to watch. */
const pace = { wordsAtOnce: 3, pauseMs: 25 }

/** Answers from the script through the normal model port. Loop, tools and approvals treat it like any model. */
export function createDemoModel(demoFolder: string, pauseMs = pace.pauseMs): ModelClient {
  const files = memoize(() => readDemoFiles(demoFolder))
  return {
    async *stream(request, signal) {
      const answer = demoReply(request, files())
      for (const text of slices(answer.text)) {
        await delay(pauseMs, undefined, { signal })
        yield { type: 'text', text }
      }
      yield { type: 'reply', reply: toReply(request, answer) }
    },
    models: async () => [{ id: demoModelId, name: 'Demo (scripted, offline)', contextWindow: 200_000 }],
  }
}

function slices(text: string): readonly string[] {
  const words = text.split(/(?<=\s)/)
  return Array.from({ length: Math.ceil(words.length / pace.wordsAtOnce) }, (_, index) =>
    words.slice(index * pace.wordsAtOnce, (index + 1) * pace.wordsAtOnce).join(''),
  )
}

/** Numbers the call ids, so that the same conversation always gets the same ids. */
function toReply(request: ModelRequest, { text, calls }: DemoReply): ModelReply {
  const turn = request.messages.filter(({ role }) => role === 'assistant').length
  const content: AssistantPart[] = [
    { type: 'text', text },
    ...calls.map(
      ({ name, input }, index): AssistantPart => ({
        type: 'tool_call',
        callId: `demo_${turn}_${index}` as ToolCallId,
        name,
        input,
      }),
    ),
  ]
  return { content, stopReason: calls.length > 0 ? 'tool_use' : 'end_turn', usage: { ...noUsage, modelCalls: 1 } }
}

function readDemoFiles(folder: string): DemoFiles {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [`/${relative(folder, file).split(sep).join('/')}`, readFileSync(file, 'utf8')] as const)
}

function memoize<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
