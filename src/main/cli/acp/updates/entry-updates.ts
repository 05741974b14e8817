import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { mergedBranches } from '#shared/model/compose/merged-branches.ts'
import type { CoppiceEvent } from '#shared/model/event.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { textOf, toolCallsOf } from '#shared/model/message.ts'
import { readMessageNotes } from '#shared/model/messages/message-notes.ts'
import { addUsage, noUsage } from '#shared/model/models/usage.ts'
import type { ProjectState } from '#shared/model/project-state.ts'
import { answeringModel } from '#shared/model/thread.ts'
import { plural } from '#shared/text/plural.ts'
import { callIdOf, diffsOf, kindOf, locate, locationsOf, resultContent, textContent, titleOf } from './call-updates.ts'
import { type Scene, subagentName, updateCall } from './scene.ts'
import { remark } from './shown-text.ts'

type EventOf<Type extends CoppiceEvent['type']> = Extract<CoppiceEvent, { readonly type: Type }>
type Updates = readonly SessionUpdate[]
type Tell<Event> = (event: Event, scene: Scene) => Updates | Promise<Updates>

/** Milliseconds between two updates of what a call prints. */
const betweenOutputs = 250

/** In the words of the command line. */
const asInTerminal: Tell<CoppiceEvent> = async (event, scene) => remarks(await scene.say(event))

/** What a person did. Unsaid while a command of the session says it. */
function deed<Event>(words: (event: Event, scene: Scene) => string): Tell<Event> {
  return (event, scene) => (scene.isTold ? [] : remarks(words(event, scene)))
}

/** How everything that happens in a project reaches an editor, or the reason why it does not. */
export const eventUpdates: { readonly [Type in CoppiceEvent['type']]: Tell<EventOf<Type>> | string } = {
  'thread.created': 'The call that starts a subagent names it, and the session is there already.',
  'thread.prepared': 'What agents are told is shown in the window.',
  'thread.copied': 'The conversation that it begins with is replayed when the session is loaded.',
  'thread.titled': ({ threadId, title }, { root }) =>
    threadId === root ? [{ sessionUpdate: 'session_info_update', title }] : [],
  'thread.configured': ({ threadId }, { root, choices }) => (threadId === root ? choices() : []),
  'plan.approved': ({ threadId }, { root, choices }) => (threadId === root ? choices() : []),
  'thread.pinned': 'It is about lists in the window.',
  'thread.archived': 'It is about lists in the window.',
  'thread.deleted': deed(() => 'Somebody deleted this thread. It can be restored in the window for seven days.'),
  'thread.restored': deed(() => 'This thread was restored.'),
  'checkout.made': deed(({ checkout }) => `A folder stands for a branch now: ${checkout.folder}`),
  'checkout.ended': 'The folder stays with its person, who ended it.',
  'thread.delivered': deed(
    ({ delivery }) =>
      `Delivered to the branch ${delivery.branch}: ${plural(delivery.commits.length, 'commit', 'commits')}.`,
  ),
  'delivery.undone': deed(() => 'A delivery was taken back.'),
  'delivery.published': deed(({ remote, pullRequest }) => `Pushed to ${remote}. ${pullRequest ?? ''}`.trim()),
  'run.started': 'The request of the editor says so.',
  'run.ended': 'The answer to the request of the editor says so; of a subagent, the result of its call.',
  message: tellMessage,
  'message.queued': 'It is shown when it becomes a part of the conversation.',
  'queue.changed': 'It is shown when it becomes a part of the conversation.',
  'tool.started': ({ threadId, callId, name, input }, scene) => [
    ...announce(scene, threadId, { callId, name, input }),
    { sessionUpdate: 'tool_call_update', toolCallId: callIdOf(scene.root, threadId, callId), status: 'in_progress' },
  ],
  'stages.asked': asInTerminal,
  'effects.held': ({ threadId, callId, held }, scene) => [
    updateCall(scene, callIdOf(scene.root, threadId, callId), { diffs: diffsOf(scene.project, held.patch) }),
  ],
  'tool.finished': ({ threadId, callId, result }, scene) => {
    const id = callIdOf(scene.root, threadId, callId)
    const isOk = result.outcome === 'ok'
    // What was kept back and then dropped did not change anything.
    const diffs = isOk ? {} : { diffs: [] }
    return [
      updateCall(scene, id, { result: resultContent(result), ...diffs }, { status: isOk ? 'completed' : 'failed' }),
    ]
  },
  'call.derived': ({ threadId, callId, name, input }, scene) => announce(scene, threadId, { callId, name, input }),
  'batch.started': 'Its call is shown.',
  'batch.refused': ({ threadId, callId, tasks }, scene) => [
    updateCall(scene, callIdOf(scene.root, threadId, callId), {
      result: [textContent(tasks.map(({ index, reason }) => `Task ${index + 1}: ${reason}`).join('\n'))],
    }),
  ],
  'batch.judged': 'The result of its call says what was found.',
  'batch.changed': deed(() => 'A running batch was changed.'),
  'batch.retried': deed(() => 'The failed tasks of a batch run again.'),
  'drift.told': 'The message to the agent that goes with it is shown.',
  'instructions.told': 'The message to the agent that goes with it is shown.',
  'python.kept': 'Variables of code are for the agent.',
  'process.started': asInTerminal,
  'process.ended': asInTerminal,
  'terminal.started': 'A terminal belongs to the person in the window.',
  'terminal.ended': 'A terminal belongs to the person in the window.',
  'terminal.decided': 'The change of the branch is shown.',
  'session.began': 'What the agent of others does on its branch is shown.',
  'session.ended': deed(({ note }) => note),
  'todos.written': ({ threadId, todos }, { root }) =>
    threadId === root
      ? [
          {
            sessionUpdate: 'plan',
            entries: todos.map(({ content, status }) => ({ content, status, priority: 'medium' })),
          },
        ]
      : [],
  'check.finished': deed(
    ({ branchId, result }, scene) => `${branchName(scene, branchId)}: ${result.check} is ${result.outcome}.`,
  ),
  'merge.queued': deed(({ branchIds }, scene) => `To be merged when green: ${namesOf(scene, branchIds)}.`),
  'merge.ended': deed(({ branchId, end }, scene) =>
    end.kind === 'merged' ? '' : `${branchName(scene, branchId)} was not merged: ${end.kind}.`,
  ),
  'interrupt.raised': 'It is a request for permission.',
  'interrupt.decided': 'The call goes on, which is shown.',
  usage: tellUsage,
  'model.fell_back': asInTerminal,
  'tools.found': 'The call that found them is shown.',
  'compaction.requested': 'Its end is shown.',
  'compaction.settled': deed(() => 'There was nothing to summarise.'),
  compacted: asInTerminal,
  checkpoint: 'The command /rewind lists them.',
  'memory.written': deed(({ name }) => `Remembered: ${name}`),
  'memory.deleted': deed(({ name }) => `Forgotten: ${name}`),
  'memory.recalled': 'The call that read them is shown.',
  'user_memory.written': deed(({ name }) => `Remembered for all projects: ${name}`),
  'user_memory.deleted': deed(({ name }) => `Forgotten for all projects: ${name}`),
  'user_memory.recalled': 'The call that read them is shown.',
  'branch.forked': asInTerminal,
  'tree.changed': ({ threadId, callId, patch }, scene) =>
    callId === null
      ? remarks(
          scene.isTold || patch.length === 0 ? '' : `${plural(patch.length, 'file', 'files')} of the branch changed.`,
        )
      : [updateCall(scene, callIdOf(scene.root, threadId, callId), { diffs: diffsOf(scene.project, patch) })],
  'environment.changed': 'It is in ignored files, which are in no change.',
  'branch.merged': tellMerge,
  'branch.discarded': deed(({ branchId, whole }, scene) =>
    whole ? `Discarded ${branchName(scene, branchId)}.` : `Took changes off ${branchName(scene, branchId)}.`,
  ),
  'branch.restored': deed(({ branchId }, scene) => `Restored ${branchName(scene, branchId)}.`),
  'merge.undone': deed(({ branchId }, scene) => `The merge of ${branchName(scene, branchId)} was taken back.`),
  rewound: deed(({ conversation, files }) => {
    const parts = [...(files ? ['files'] : []), ...(conversation ? ['conversation'] : [])]
    return `Went back to a checkpoint: ${parts.join(' and ')}. Load the session again to see it as it is now.`
  }),
  'apply.started': 'Its end is shown.',
  'apply.failed': deed(
    ({ left }) =>
      `An apply failed, and the folder is as before${left.length === 0 ? '' : `, except ${left.join(', ')}`}.`,
  ),
  'apply.finished': deed(({ paths }) => `Applied to the folder: ${plural(paths.length, 'file', 'files')}.`),
  'apply.undone': deed(() => 'An apply was taken back.'),

  'message.delta': ({ threadId, messageId, part, text }, { root, streamed }) => {
    if (threadId !== root) return []
    streamed.add(messageId)
    return [chunk(part === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk', messageId, text)]
  },
  'message.dropped': asInTerminal,
  'tool.output': ({ threadId, callId, text, at }, scene) => {
    const id = callIdOf(scene.root, threadId, callId)
    const call = scene.calls.get(id)
    const output = `${call?.output ?? ''}${text}`
    if (at - (call?.sentAt ?? 0) < betweenOutputs) {
      updateCall(scene, id, { output })
      return []
    }
    return [updateCall(scene, id, { output, sentAt: at, result: [textContent(output)] })]
  },
  'model.retrying': asInTerminal,
  'model.waiting': 'It waits for other agents for a moment.',
  'drift.changed': 'An apply says what changed on disk.',
  'apply.progress': 'The command says how it ended.',
  'process.changed': asInTerminal,
  'setup.changed': asInTerminal,
  'checks.changed': 'Its result is shown.',
  'server.asked': 'Nobody is asked in an editor.',
  'context.compacting': 'Its end is shown.',
  'run.unstored': asInTerminal,
  'batch.progress': ({ threadId, callId, done, failed, total }, scene) => [
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: callIdOf(scene.root, threadId, callId),
      title: `${titleOf(subagentName(scene, threadId), 'batch_task', {})} ${done} of ${total} done${failed > 0 ? `, ${failed} failed` : ''}`,
    },
  ],
}

/** What an editor is told about an event. */
export async function updatesFor(event: CoppiceEvent, scene: Scene): Promise<Updates> {
  const tell = eventUpdates[event.type]
  // The table has the function for exactly this type of event.
  return typeof tell === 'string' ? [] : (tell as Tell<CoppiceEvent>)(event, scene)
}

function tellMessage({ threadId, message }: EventOf<'message'>, scene: Scene): Updates {
  const { root, streamed, typed } = scene
  if (message.role === 'assistant') {
    const { messageId, content } = message
    const isWhole = threadId === root && !streamed.delete(messageId)
    const said = isWhole ? content : []
    return [
      ...said.flatMap((part) => {
        if (part.type === 'text') return [chunk('agent_message_chunk', messageId, part.text)]
        return part.type === 'thinking' ? [chunk('agent_thought_chunk', messageId, part.text)] : []
      }),
      ...toolCallsOf(message).flatMap((call) => announce(scene, threadId, call)),
    ]
  }
  if (threadId !== root || message.origin === 'parent') return []
  const { text } = readMessageNotes(textOf(message.content))
  if (message.origin === 'notice') return [chunk('agent_thought_chunk', message.messageId, `${text}\n`)]
  return typed.delete(text) ? [] : [chunk('user_message_chunk', message.messageId, text)]
}

/** The call before it runs. Nothing for one that the editor knows. */
export function announce(
  scene: Scene,
  threadId: ThreadId,
  { callId, name, input }: Pick<EventOf<'call.derived'>, 'callId' | 'name' | 'input'>,
): Updates {
  const id = callIdOf(scene.root, threadId, callId)
  if (scene.calls.has(id)) return []
  updateCall(scene, id, {})
  return [
    {
      ...{ sessionUpdate: 'tool_call', toolCallId: id, name, status: 'pending', rawInput: input, kind: kindOf(name) },
      title: titleOf(subagentName(scene, threadId), name, input),
      locations: locationsOf(scene.project, name, input),
    },
  ]
}

async function tellUsage(_event: unknown, { project, root }: Scene): Promise<Updates> {
  const family = project.family(root)
  const [thread] = family
  if (!thread || thread.contextTokens === null) return []
  const { cost } = family.map(({ usage }) => usage).reduce(addUsage, noUsage)
  const size = await project.services.contextWindow(answeringModel(thread))
  return [
    {
      ...{ sessionUpdate: 'usage_update', used: thread.contextTokens, size },
      ...(cost !== null && { cost: { amount: cost, currency: 'USD' } }),
    },
  ]
}

/** A merge is a call of its own, with the files that it changed and those that are in conflict. */
function tellMerge(merge: EventOf<'branch.merged'>, scene: Scene): Updates {
  const { sequence, into, result, patch } = merge
  const names = mergedBranches(merge).map((branchId) => branchName(scene, branchId))
  const { project } = scene
  const open = result.conflicts.filter(({ path }) => result.skipped.includes(path)).map(({ path }) => path)
  const changed = [...result.written, ...result.merged, ...result.deleted]
  const words = [
    ...(changed.length > 0 ? [`Merged: ${changed.join(', ')}`] : []),
    ...(open.length > 0 ? [`In conflict, and left as they were: ${open.join(', ')}`] : []),
  ]
  return [
    {
      ...{ sessionUpdate: 'tool_call', toolCallId: `merge-${sequence}`, kind: 'edit', name: 'merge' },
      title: `${merge.composed ? 'Composed' : 'Merged'} ${names.join(', ')} into ${branchName(scene, into)}`,
      status: open.length > 0 ? 'failed' : 'completed',
      locations: locate(project, [...new Set([...changed, ...open])]),
      content: [...diffsOf(project, patch), ...(words.length > 0 ? [textContent(words.join('\n'))] : [])],
    },
  ]
}

export function chunk(
  sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk',
  messageId: string,
  text: string,
): SessionUpdate {
  return { sessionUpdate, messageId, content: { type: 'text', text } }
}

function remarks(text: string): Updates {
  return text === '' ? [] : [remark(text)]
}

function branchName({ project }: Scene, branchId: BranchId): string {
  return nameIn(project.services.log.state, branchId)
}

function nameIn({ branches }: Pick<ProjectState, 'branches'>, branchId: BranchId): string {
  return branches.get(branchId)?.name ?? branchId
}

function namesOf(scene: Scene, ids: readonly BranchId[]): string {
  return ids.map((id) => branchName(scene, id)).join(', ')
}
