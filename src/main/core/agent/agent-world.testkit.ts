import { createOverlayTree, emptyTree, planMerge, walk } from '#overlay'
import { resultOf } from '#shared/model/calls/call.ts'
import type { Decision } from '#shared/model/calls/interrupt.ts'
import type { Entry, EntryDraft, EntryType } from '#shared/model/entry.ts'
import type { ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { childrenOf } from '#shared/model/project-state.ts'
import { type ApprovalMode, answerOf, type ThreadState } from '#shared/model/thread.ts'
import { rootPath } from '#shared/model/virtual-path.ts'
import { type BranchMerges, createBranchMerges } from '../branches/branch-merges.ts'
import { branchSides, planDiscard } from '../branches/branch-sides.ts'
import type { Journal } from '../ports/journal.ts'
import { JournalError } from '../ports/journal.ts'
import type { RequestMessage } from '../ports/model-client.ts'
import {
  createStore,
  createTestServices,
  type ServicesOptions,
  type Stored,
  type TestServices,
} from './agent-services.testkit.ts'
import { closeCrashedRuns } from './calls/unknown-end.ts'
import { recoverProcesses } from './processes/recover-processes.ts'
import { type AgentRuntime, createAgentRuntime } from './runtime/runtime.ts'

/** One open project in memory, with its agents. */
export interface AgentWorld {
  readonly services: TestServices
  readonly runtime: AgentRuntime
  readonly merges: BranchMerges
  /** Every request to the model so far. */
  readonly requests: TestServices['model']['requests']
  /** Starts a thread with this message and waits until its family is quiet. */
  run(task: string, mode?: ApprovalMode): Promise<ThreadId>
  /** Starts a thread without waiting. */
  begin(task: string, mode?: ApprovalMode): ThreadId
  /** Sends another message of the person and waits for its run. */
  say(id: ThreadId, text: string): Promise<void>
  whenIdle(id: ThreadId): Promise<void>
  thread(id: ThreadId): ThreadState
  children(id: ThreadId): readonly ThreadState[]
  /** The text of the last reply. */
  answer(id: ThreadId): string
  /** Results of the thread's calls as text, by call id, in the order of the calls. */
  results(id: ThreadId): Readonly<Record<string, string>>
  outcomes(id: ThreadId): Readonly<Record<string, string | undefined>>
  /** The thread of any family that waits for a person. */
  waiting(): ThreadState
  /** Decides on what is waiting, by call id, and waits until the family is quiet again. */
  decide(...decisions: readonly Decision[]): Promise<void>
  approve(...callIds: readonly string[]): Promise<void>
  kinds(id?: ThreadId): readonly EntryType[]
  entries<Type extends EntryType>(type: Type): readonly Extract<Entry, { type: Type }>[]
  /** Every file on the thread's branch, by path. */
  files(id: ThreadId): Promise<Readonly<Record<string, string>>>
  /** The text of a scratch file. */
  scratch(id: ThreadId, name: string): string
  /** Makes the store fail for the entries that `fails` accepts, as a full disk would. Undefined ends that. */
  failStore(fails: ((drafts: readonly EntryDraft[]) => boolean) | undefined): void
  /** Closes the app and opens it again. */
  restart(options?: Partial<ServicesOptions>): Promise<AgentWorld>
  /** Like `restart`, for an app that was killed. What was not stored never happened. */
  crash(options?: Partial<ServicesOptions>): Promise<AgentWorld>
}

/** Opens a project with these files and a model that follows the script. Nothing leaves the process. */
export function openWorld(options: ServicesOptions = {}): Promise<AgentWorld> {
  return openOver(createStore(options.files), options)
}

async function openOver(stored: Stored, options: ServicesOptions): Promise<AgentWorld> {
  const store = createFailingJournal(stored.journal)
  const services = await createTestServices({ ...stored, journal: store.journal }, options)
  const { log } = services
  closeCrashedRuns(log, stored.nextId)
  await recoverProcesses(services)
  const merges = createBranchMerges({
    state: () => log.state,
    trees: () => log.trees,
    now: () => services.clock.now(),
    planMerge: (trees, branch, chosen) => planMerge({ ...branchSides(trees, branch), ...chosen, ...services }),
    planDiscard,
  })
  const runtime = createAgentRuntime(services, merges)
  services.hear((entry) => runtime.processes.take(entry))

  const thread = (id: ThreadId): ThreadState => {
    const state = log.state.threads.get(id)
    if (!state) throw new Error(`There is no thread ${id}`)
    return state
  }
  const begin: AgentWorld['begin'] = (task, approvalMode = 'auto-edit') =>
    runtime.begin({ title: task, model: 'scripted', approvalMode }, () => [{ type: 'text', text: task }])
  const waiting = (): ThreadState => {
    const found = [...log.state.threads.values()].find(({ interrupts }) => interrupts.length > 0)
    if (!found) throw new Error('Nobody waits')
    return found
  }
  const decide: AgentWorld['decide'] = async (...decisions) => {
    const { id, interrupts } = waiting()
    const interrupt = interrupts.find(({ action_requests }) =>
      action_requests.some(({ callId }) => callId === decisions[0]?.callId),
    )
    if (!interrupt) throw new Error(`Nobody asks about ${decisions[0]?.callId}`)
    runtime.decide(id, interrupt.id, decisions)
    await runtime.whenIdle(id)
  }
  const reopen = (changed: Partial<ServicesOptions> = {}) => {
    const extensions = { ...services.extensions.current(), ...changed.extensions }
    return openOver(stored, { ...options, settings: services.settings(), ...changed, extensions })
  }

  return {
    ...{ services, runtime, merges, thread, begin, waiting, decide },
    requests: services.model.requests,
    async run(task, mode) {
      const id = begin(task, mode)
      await runtime.whenIdle(id)
      return id
    },
    async say(id, text) {
      runtime.send(id, [{ type: 'text', text }], 'queue')
      await runtime.whenIdle(id)
    },
    whenIdle: (id) => runtime.whenIdle(id),
    children: (id) => childrenOf(log.state, id),
    answer: (id) => answerOf(thread(id)),
    results: (id) =>
      Object.fromEntries([...thread(id).calls].map(([callId, call]) => [callId, textIn(resultOf(call)?.content)])),
    outcomes: (id) =>
      Object.fromEntries([...thread(id).calls].map(([callId, call]) => [callId, resultOf(call)?.outcome])),
    approve: (...callIds) =>
      decide(...callIds.map((callId) => ({ callId: callId as ToolCallId, type: 'approve' }) as const)),
    kinds: (id) =>
      log
        .entries()
        .filter(({ threadId }) => !id || threadId === id)
        .map(({ type }) => type),
    entries: (type) => log.entries([type]) as readonly never[],
    async files(id) {
      const tree = log.trees.heads.get(thread(id).branchId) ?? emptyTree
      const files = createOverlayTree({ ...services, tree })
      const { entries } = await walk(files, rootPath)
      const read = entries.map(async ({ path, node }): Promise<readonly (readonly [string, string])[]> => {
        if (node.kind === 'directory') return []
        if (node.kind === 'symlink') return [[path, `-> ${node.target}`]]
        return [[path, new TextDecoder().decode(await files.read(path))]]
      })
      return Object.fromEntries((await Promise.all(read)).flat().sort(([a], [b]) => (a < b ? -1 : 1)))
    },
    scratch: (id, name) => new TextDecoder().decode(services.scratch.read(id, name) ?? new Uint8Array()),
    failStore: store.failWhen,
    async restart(changed) {
      await runtime[Symbol.asyncDispose]()
      store.close()
      return reopen(changed)
    },
    async crash(changed) {
      store.close()
      return reopen(changed)
    },
  }
}

/** A journal that can be full, and that takes no more entries once its app is gone. */
function createFailingJournal(journal: Journal) {
  let fails: ((drafts: readonly EntryDraft[]) => boolean) | undefined
  let open = true
  const guarded: Journal = {
    ...journal,
    append(drafts) {
      if (!open) throw new JournalError('locked', 'Another process has the store.')
      if (fails?.(drafts)) throw new JournalError('full', 'The disk is full.')
      return journal.append(drafts)
    },
  }
  return {
    journal: guarded,
    failWhen(next: typeof fails) {
      fails = next
    },
    close() {
      open = false
    },
  }
}

type Part = { readonly type: string; readonly text?: string }

function textIn(content: readonly Part[] = []): string {
  return content.map(({ type, text }) => text ?? `[${type}]`).join('')
}

/** A message of a request as one line, for assertions about what a model saw. */
export function shownMessage({ role, content }: RequestMessage): string {
  const parts = content.map((part) => {
    if (part.type === 'text') return part.text
    if (part.type === 'tool_call') return `${part.name}(${JSON.stringify(part.input)})`
    return part.type === 'tool_result' ? `= ${textIn(part.content)}` : `[${part.type}]`
  })
  return `${role}: ${parts.join(' | ')}`
}
