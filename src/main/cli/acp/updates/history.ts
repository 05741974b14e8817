import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { type Call, openOutcome, resultOf } from '#shared/model/calls/call.ts'
import { textOf, toolCallsOf } from '#shared/model/message.ts'
import { readMessageNotes } from '#shared/model/messages/message-notes.ts'
import type { Patch } from '#shared/model/patch.ts'
import { diffsOf, resultContent } from './call-updates.ts'
import { announce, chunk, eventUpdates, updatesFor } from './entry-updates.ts'
import { type Scene, updateCall } from './scene.ts'

/** The conversation of a session as it is now, for an editor that loads it. Rewound parts are not in it. */
export async function historyOf(scene: Scene): Promise<readonly SessionUpdate[]> {
  const { project, root } = scene
  const [thread] = project.family(root)
  if (!thread) return []
  const patches = new Map<string, Patch>()
  for (const entry of project.services.log.entriesAfter(0, ['tree.changed'], root))
    if (entry.type === 'tree.changed' && entry.threadId === root && entry.callId !== null)
      patches.set(entry.callId, entry.patch)
  const updates = thread.messages.flatMap((message): readonly SessionUpdate[] => {
    const { messageId } = message
    if (message.role === 'user') {
      const { text } = readMessageNotes(textOf(message.content))
      if (message.origin === 'notice') return [chunk('agent_thought_chunk', messageId, `${text}\n`)]
      const images = message.content.flatMap((part) => (part.type === 'image' ? [part] : []))
      return [
        ...(text === '' ? [] : [chunk('user_message_chunk', messageId, text)]),
        ...images.map(
          ({ data, mediaType: mimeType }) =>
            ({ sessionUpdate: 'user_message_chunk', messageId, content: { type: 'image', data, mimeType } }) as const,
        ),
      ]
    }
    const said = message.content.flatMap((part) => {
      if (part.type === 'text') return [chunk('agent_message_chunk', messageId, part.text)]
      return part.type === 'thinking' ? [chunk('agent_thought_chunk', messageId, part.text)] : []
    })
    return [
      ...said,
      ...toolCallsOf(message).flatMap((call) => callHistory(scene, thread.calls.get(call.callId), call, patches)),
    ]
  })
  const [{ lastSequence: sequence, updatedAt: at, todos }, event] = [thread, { threadId: root }]
  const plan =
    todos.length === 0
      ? []
      : await updatesFor({ ...event, sequence, at, type: 'todos.written', todos, by: 'agent' }, scene)
  const { usage } = eventUpdates
  const used = typeof usage === 'string' ? [] : await usage({} as never, scene)
  return [...updates, ...plan, ...used]
}

function callHistory(
  scene: Scene,
  call: Call | undefined,
  { callId, name, input }: ReturnType<typeof toolCallsOf>[number],
  patches: ReadonlyMap<string, Patch>,
): readonly SessionUpdate[] {
  const result = resultOf(call)
  const patch = patches.get(callId) ?? (call && openOutcome(call)?.patch) ?? []
  const content = { diffs: diffsOf(scene.project, patch), result: result ? resultContent(result) : [] }
  const status = result === null ? 'pending' : result.outcome === 'ok' ? 'completed' : 'failed'
  return [...announce(scene, scene.root, { callId, name, input }), updateCall(scene, callId, content, { status })]
}
