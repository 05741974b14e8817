import * as fc from 'fast-check'
import { foldTrees } from '#core/branches/branch-trees.ts'
import type { LogReader } from '#core/journal/project-log.ts'
import type { Hashing } from '#core/ports/hashing.ts'
import { emptyTree, treeHash } from '#overlay'
import type { Decision, Interrupt } from '#shared/model/calls/interrupt.ts'
import type { Entry } from '#shared/model/entry.ts'
import { fold } from '#shared/model/fold/project.ts'
import type { Sequence, ThreadId } from '#shared/model/ids.ts'
import { everInFamily, familyOf } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { type Answer, type Call, type Scenario, taskOf, turnOf } from '../e2e/model-server/scenario.ts'
import type { Project } from '../src/main/host/project/project.ts'

/** The script of a root agent, reply by reply. A reply without calls ends its run, and then the person says `more`. */
export type Plan = readonly (readonly Call[])[]

const file = fc.nat(3).map((number) => `/f${number}.txt`)
const write = fc
  .record({ path: file, text: fc.nat(9) })
  .map(({ path, text }): Call => ({ name: 'write_file', input: { file_path: path, content: `${text}\n` } }))
const remove = file.map((path): Call => ({ name: 'delete', input: { path } }))
const code = file.map(
  (path): Call => ({ name: 'run_js_code', input: { code: `await fs.write(${JSON.stringify(path)}, 'by code')` } }),
)
const command = file.map((path): Call => ({ name: 'execute', input: { command: `echo shell >> .${path}` } }))
const todos = fc.nat(3).map(
  (count): Call => ({
    name: 'write_todos',
    input: { todos: Array.from({ length: count }, (_, at) => ({ content: `t${at}`, status: 'pending' })) },
  }),
)
const ask: fc.Arbitrary<Call> = fc.constant({ name: 'ask_user', input: { question: 'Go on?' } })
const look: fc.Arbitrary<Call> = fc.constant({ name: 'read_file', input: { file_path: '/kept.txt' } })
const handle = fc.nat(2).map((number) => `subagent_${number}`)
const spawn = fc.array(fc.tuple(file, fc.boolean()), { minLength: 1, maxLength: 2 }).map(
  (tasks): Call => ({
    name: 'spawn_subagents',
    input: { tasks: tasks.map(([path, asks]) => ({ task: `child ${path}${asks ? ' asks' : ''}` })) },
  }),
)
const merge = handle.map((one): Call => ({ name: 'merge_subagent', input: { handle: one, force: true } }))
const discard = handle.map((one): Call => ({ name: 'discard_subagent', input: { handle: one } }))

const call = fc.oneof(
  { arbitrary: write, weight: 6 },
  { arbitrary: spawn, weight: 4 },
  { arbitrary: merge, weight: 4 },
  { arbitrary: todos, weight: 2 },
  { arbitrary: look, weight: 2 },
  { arbitrary: ask, weight: 2 },
  { arbitrary: remove, weight: 1 },
  { arbitrary: discard, weight: 1 },
  { arbitrary: code, weight: 1 },
  { arbitrary: command, weight: 1 },
)
export const plans: fc.Arbitrary<Plan> = fc.array(fc.array(call, { maxLength: 3 }), { minLength: 3, maxLength: 8 })

/** Root tasks are named `plan <n>`. Subagents write the file that their task names, some after a question. */
export function obeying(planOf: (task: string) => Plan): Scenario {
  return (request) => {
    const task = taskOf(request)
    const turn = turnOf(request)
    const [kind, path = '', asks] = task.split(/\s+/)
    if (kind !== 'child') return answer(planOf(task)[turn] ?? [], `${task} ${turn}`)
    const steps: readonly (readonly Call[])[] = [
      ...(asks ? [[{ name: 'ask_user', input: { question: 'May I?' } }]] : []),
      [{ name: 'write_file', input: { file_path: path, content: `${task}\n` } }],
    ]
    return answer(steps[turn] ?? [], 'child done')
  }
}

function answer(calls: readonly Call[], text: string): Answer {
  return calls.length > 0 ? { calls } : { text }
}

/** Lets the family run to its end, and answers every question. */
export async function settleFamily({ runtime, services }: Project, root: ThreadId): Promise<void> {
  while (true) {
    await runtime.whenIdle(root)
    const asking = familyOf(services.log.state, root).filter(({ interrupts }) => interrupts.length > 0)
    if (asking.length === 0) return
    for (const { id, interrupts } of asking) {
      for (const interrupt of interrupts) runtime.decide(id, interrupt.id, interrupt.review_configs.map(yes))
    }
  }
}

function yes({ callId, allowed_decisions }: Interrupt['review_configs'][number]): Decision {
  return allowed_decisions.includes('respond')
    ? { callId, type: 'respond', message: 'yes' }
    : { callId, type: 'approve' }
}

/** A live project, or its log as it was after an entry. */
interface Logged {
  readonly services: { readonly log: Pick<LogReader, 'state' | 'trees'>; readonly hashing: Hashing }
}

/** The threads of a family with everything that a rewind of the conversation affects, as plain data. */
export function conversationsOf({ services }: Logged, root: ThreadId) {
  return familyOf(services.log.state, root).map((thread) => ({
    id: thread.id,
    messages: thread.messages,
    calls: [...thread.calls],
    reads: [...thread.contentHashes].sort(),
    todos: thread.todos,
    interrupts: thread.interrupts,
    queue: thread.queue,
    contextTokens: thread.contextTokens,
    status: restingStatus(thread),
  }))
}

/** The status to expect after a rewind, because a rewind starts no run. */
function restingStatus({ status, interrupts }: ThreadState): string {
  if (interrupts.length > 0) return 'needs_you'
  return status === 'working' ? 'paused' : status
}

/** The branches of a family that existed `at` a checkpoint, as plain data. */
export function filesOf({ services }: Logged, root: ThreadId, at: Sequence) {
  const { state, trees } = services.log
  const family = everInFamily(state, root)
  return [...state.branches.values()]
    .filter(({ threadId, forkedAt }) => family.has(threadId) && forkedAt <= at)
    .map(({ id, status, merges }) => ({
      id,
      status,
      merges,
      hash: treeHash(trees.heads.get(id) ?? emptyTree, services.hashing),
      rounds: trees.bases.get(id)?.value.rounds ?? [],
    }))
}

interface Seen {
  readonly root: ThreadId
  readonly talk: ReturnType<typeof conversationsOf>
  readonly files: ReturnType<typeof filesOf>
  /** `hash` is computed from the root's branch; `told` is what the checkpoint holds. */
  readonly hash: string
  readonly told: string
}

function headHash({ services }: Logged, threadId: ThreadId): string {
  const { state, trees } = services.log
  const branchId = state.threads.get(threadId)?.branchId
  return treeHash((branchId && trees.heads.get(branchId)) ?? emptyTree, services.hashing)
}

/**
 * Records the family at every checkpoint of the root, while it works. One commit can store several checkpoints, so
 * the log is folded entry by entry: the live log is already at the last of them.
 */
export function watchCheckpoints({ services, events }: Project) {
  const seen = new Map<Sequence, Seen>()
  let { state, trees }: LogReader = services.log
  const note = ({ sequence, threadId: root }: Entry, told: string | null): void => {
    if (state.threads.get(root)?.parent !== null) return
    const then = { services: { log: { state, trees }, hashing: services.hashing } }
    const hash = headHash(then, root)
    const [talk, files] = [conversationsOf(then, root), filesOf(then, root, sequence)]
    seen.set(sequence, { root, talk, files, hash, told: told ?? hash })
  }
  events.listen((event) => {
    if (event.sequence !== state.sequence + 1) return
    const entry = services.log.entryAt(event.sequence)
    if (!entry) throw new Error(`Entry ${event.sequence} is announced and not stored`)
    state = fold(state, entry)
    trees = foldTrees(trees, entry)
    if (entry.type === 'checkpoint') note(entry, entry.treeHash)
    if (entry.type === 'run.ended') note(entry, null)
  })
  return seen
}
