import type { Project } from '#host/project/project.ts'
import type { DirectClient } from '#host/wiring/direct-client.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { addUsage, noUsage } from '#shared/model/models/usage.ts'
import { answerOf, type ThreadState } from '#shared/model/thread.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'

/** Characters of an answer, and files and calls of a list. */
const most = { answer: 20_000, listed: 200 }

/** A thread as another agent reads it, with what to do next. */
export async function describeThread(project: Project, client: DirectClient, threadId: ThreadId) {
  const [thread, ...subagents] = project.family(threadId)
  if (!thread) throw new Error(noThread(threadId))
  const changes = await client.changes.list({ projectId: project.info().id, branchId: thread.branchId })
  const waiting = project
    .family(threadId)
    .flatMap(({ interrupts }) => interrupts)
    .flatMap(({ agent, action_requests: requests }) =>
      requests.map(({ callId, name, description }) => ({ agent, call_id: callId, tool: name, about: description })),
    )
  const answer = answerOf(thread)
  const { cost } = project
    .family(threadId)
    .map(({ usage }) => usage)
    .reduce(addUsage, noUsage)
  return {
    thread_id: threadId,
    title: thread.title,
    status: waiting.length > 0 ? 'needs_you' : thread.status,
    reason: thread.end?.reason ?? null,
    message: thread.end?.message ?? '',
    answer: beginningOf(answer, most.answer),
    answer_is_cut: answer.length > most.answer,
    todos: thread.todos.slice(0, most.listed).map(({ content, status }) => ({ content, status })),
    subagents: subagents
      .slice(0, most.listed)
      .map(({ agent, parent, status }) => ({ name: agent, handle: parent?.handle ?? null, status })),
    waiting: waiting.slice(0, most.listed),
    files_changed: changes.length,
    files: changes.slice(0, most.listed).map(({ path, kind, added, removed }) => ({ path, kind, added, removed })),
    cost,
    next: nextOf(thread, waiting.length),
  }
}

/** What whoever asks can do, or has to ask a person for. */
function nextOf({ id, status }: ThreadState, waiting: number): string {
  if (waiting > 0)
    return `A person must decide about ${waiting === 1 ? 'a call' : `${waiting} calls`}: ask yours to open this folder in Coppice, or to run "coppice resume ${id}". No tool here can.`
  switch (status) {
    case 'idle':
    case 'working':
    case 'queued':
      return 'It works, or begins to. Ask again with wait_seconds.'
    case 'done':
      return `Look at it with diff. Nothing is written to the folder until a person applies it: in Coppice, or with "coppice apply ${id}".`
    case 'paused':
      return `It was cut off and keeps all that it did. A person goes on with it: "coppice resume ${id}".`
    default:
      return `It ended. A person can go on with it: "coppice resume ${id}".`
  }
}

export function noThread(threadId: string): string {
  return `There is no thread ${threadId} in this project. list_threads lists them.`
}
