import fc from 'fast-check'
import { emptyTree, entryAt } from '#overlay'
import type { NonEmpty } from '#shared/base/non-empty.ts'
import { type Decision, decisionTypes } from '#shared/model/calls/interrupt.ts'
import type { EntryBody, EntryDraft } from '#shared/model/entry.ts'
import { threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import {
  type BlobHash,
  type BranchId,
  type Handle,
  type InterruptId,
  type LayerId,
  type MessageId,
  type ProcessId,
  projectThread,
  type ThreadId,
  type ToolCallId,
} from '#shared/model/ids.ts'
import { noUsage } from '#shared/model/models/usage.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { appendTo } from '../project-log.testkit.ts'
import type { ProjectLog } from '../project-log.ts'
import { rewindDrafts } from '../rewind.ts'

/** One thing that happens in a project. The numbers choose who and what. */
export interface Happening {
  readonly kind: keyof typeof happenings
  readonly who: number
  readonly what: number
}

interface Agent {
  readonly threadId: ThreadId
  readonly branchId: BranchId
  readonly root: ThreadId
}

/** A project in which things happen, and the agents that it ever had. */
export interface Story {
  readonly log: ProjectLog
  readonly agents: Agent[]
  /** Number of things that happened. Ids are made of it. */
  count: number
}

export function beginStory(log: ProjectLog): Story {
  return { log, agents: [], count: 0 }
}

type Drafts = readonly EntryDraft[]
type Happen = (story: Story, agent: Agent, what: number) => Drafts

const person = (story: Story): EntryBody => ({
  type: 'message',
  message: {
    role: 'user',
    messageId: `m${story.count}` as MessageId,
    origin: 'person',
    content: [{ type: 'text', text: `said ${story.count}` }],
  },
})

const pathOf = (what: number) => `/f${what % 4}` as VirtualPath
const layerOf = (what: number) => `layer-${what % 3}` as LayerId

/** A patch that fits the branch as it is. */
function patchOf({ log, count }: Story, { branchId }: Agent, what: number): Patch {
  const path = pathOf(what)
  const before = entryAt(log.trees.heads.get(branchId) ?? emptyTree, path)
  const blob = String(count).padStart(64, '0') as BlobHash
  const node = what % 5 === 0 ? null : ({ kind: 'file', blob, size: count, executable: false } as const)
  return [[path, [before, { node, pin: null }]]]
}

/** The newest call of the agent's thread; undefined for none. */
function lastCall({ log }: Story, { threadId }: Agent): ToolCallId | undefined {
  return [...(log.state.threads.get(threadId)?.calls.keys() ?? [])].at(-1)
}

/** The same, unless it has its result: no version starts such a call, asks about it or answers it again. */
function openCall(story: Story, agent: Agent): ToolCallId | undefined {
  const callId = lastCall(story, agent)
  const call = callId && story.log.state.threads.get(agent.threadId)?.calls.get(callId)
  return call && call.state.kind !== 'finished' ? callId : undefined
}

/** A checkpoint of the thread that a person could go back to; undefined for none. */
function checkpointIn({ log }: Story, { threadId }: Agent, what: number): number | undefined {
  const found: number[] = []
  for (let link = log.state.past.threads.get(threadId) ?? null; link; link = link.before)
    if (link.value.thread && link.value.mark.kind !== 'sibling') found.push(link.value.sequence)
  return found[what % Math.max(1, found.length)]
}

function decisionOf(callId: ToolCallId, what: number): Decision {
  const type = decisionTypes[what % decisionTypes.length] ?? 'approve'
  if (type === 'edit') return { callId, type, args: { command: 'edited' }, ...(what % 2 === 0 && { hold: true }) }
  return type === 'respond' ? { callId, type, message: 'said' } : { callId, type }
}

function own(agent: Agent, ...bodies: readonly EntryBody[]): Drafts {
  return bodies.map((body) => ({ ...body, threadId: agent.threadId }))
}

const listed = {
  pin: (_: Story, agent: Agent, what: number) => own(agent, { type: 'thread.pinned', pinned: what % 2 === 0 }),
  archive: (_: Story, agent: Agent, what: number) => own(agent, { type: 'thread.archived', archived: what % 2 === 0 }),
  title: (story: Story, agent: Agent) => own(agent, { type: 'thread.titled', title: `t${story.count}` }),
  delete: (_: Story, agent: Agent, what: number) =>
    own(agent, what % 2 === 0 ? { type: 'thread.deleted' } : { type: 'thread.restored' }),
} satisfies Record<string, Happen>

const talk = {
  say: (story: Story, agent: Agent) => own(agent, person(story)),
  queue: (story: Story, agent: Agent) =>
    own(agent, {
      type: 'message.queued',
      queued: { messageId: `q${story.count}` as MessageId, origin: 'person', content: [], delivery: 'queue' },
    }),
  run: (_: Story, agent: Agent) => own(agent, { type: 'run.started' }),
  end: (_: Story, agent: Agent, what: number) =>
    own(agent, {
      type: 'run.ended',
      status: what % 2 === 0 ? 'done' : 'interrupted',
      reason: what % 2 === 0 ? 'completed' : 'user',
      message: '',
    }),
  call: (story: Story, agent: Agent) => {
    const callId = `c${story.count}` as ToolCallId
    return own(
      agent,
      {
        type: 'message',
        message: {
          role: 'assistant',
          messageId: `a${story.count}` as MessageId,
          content: [{ type: 'tool_call', callId, name: 'execute', input: { command: 'true' } }],
          stopReason: 'tool_use',
        },
      },
      { type: 'usage', model: 'demo', usage: { ...noUsage, modelCalls: 1, inputTokens: 5, cost: 1 } },
      { type: 'checkpoint', step: 1, treeHash: `h${story.count}` },
    )
  },
  start: (story: Story, agent: Agent, what: number) => {
    const callId = openCall(story, agent)
    if (!callId) return []
    const outside = what % 3 === 0 ? ({ outside: true } as const) : {}
    return own(agent, { type: 'tool.started', callId, name: 'execute', input: {}, ...outside })
  },
  tryOut: (story: Story, agent: Agent) => {
    const callId = openCall(story, agent)
    return callId ? own(agent, { type: 'tool.started', callId, name: 'execute', input: {}, holds: true }) : []
  },
  keepBack: (story: Story, agent: Agent, what: number) => {
    const callId = openCall(story, agent)
    const call = callId && story.log.state.threads.get(agent.threadId)?.calls.get(callId)
    if (!callId || call?.state.kind !== 'running') return []
    return own(agent, {
      type: 'effects.held',
      callId,
      held: {
        ...{ input: {}, edited: false, tree: 't', environment: [], after: null, ranAgain: null, patch: [] },
        ...{ layers: what % 2 === 0 ? [layerOf(what)] : null, places: [], result: 'c'.repeat(64) as BlobHash },
        ...{ exitCode: 0, refusedHosts: [], ignoredChanges: 0, reads: [], declares: [], durationMs: 1 },
      },
    })
  },
  finish: (story: Story, agent: Agent, what: number) => {
    const callId = openCall(story, agent)
    if (!callId) return []
    const reads = [[pathOf(what), 'b'.repeat(64) as BlobHash]] as const
    const result = { outcome: 'ok', content: [] } as const
    return own(agent, { type: 'tool.finished', callId, name: 'execute', result, durationMs: 1, reads })
  },
  ask: (story: Story, agent: Agent) => {
    const callId = openCall(story, agent)
    if (!callId) return []
    const request = { callId, name: 'execute', args: {}, description: '', rule: 'r', risk: 'low' } as const
    return own(agent, {
      type: 'interrupt.raised',
      interrupt: {
        ...{ id: `i${story.count}` as InterruptId, threadId: agent.threadId, agent: 'main' },
        action_requests: [request],
        review_configs: [{ callId, action_name: 'execute', allowed_decisions: ['approve', 'reject'] }],
      },
    })
  },
  decide: (story: Story, agent: Agent, what: number) => {
    const [interrupt] = story.log.state.threads.get(agent.threadId)?.interrupts ?? []
    const callId = interrupt?.action_requests[0]?.callId
    if (!interrupt || !callId) return []
    return own(agent, { type: 'interrupt.decided', interruptId: interrupt.id, decision: decisionOf(callId, what) })
  },
  plan: (story: Story, agent: Agent, what: number) =>
    own(agent, {
      type: 'todos.written',
      todos: [{ content: `todo ${what % 3}`, status: 'pending' }],
      by: 'agent',
      ...(what % 4 === 0 && { renamed: { from: `todo ${(what + 1) % 3}`, to: `todo ${story.count}` } }),
    }),
  compact: (story: Story, agent: Agent) => {
    const kept = story.log.state.threads.get(agent.threadId)?.messages.at(-1)
    if (!kept) return []
    return own(agent, {
      type: 'compacted',
      ...{ summary: 's', keptFrom: kept.messageId, file: 'f', pastes: [], messages: 1 },
    })
  },
} satisfies Record<string, Happen>

const work = {
  write: (story: Story, agent: Agent, what: number) =>
    own(agent, { type: 'tree.changed', branchId: agent.branchId, patch: patchOf(story, agent, what), callId: null }),
  install: (_: Story, agent: Agent, what: number) =>
    own(agent, { type: 'environment.changed', branchId: agent.branchId, layers: [layerOf(what)], callId: null }),
  merge: (story: Story, agent: Agent, what: number) => {
    const into = story.log.state.branches.get(agent.branchId)?.parentId
    const parent = story.agents.find(({ branchId }) => branchId === into)
    if (!parent) return []
    const patch = patchOf(story, parent, what)
    const settled = patch.map(([path]) => path)
    const result = { written: settled, deleted: [], renamed: [], merged: [], conflicts: [], skipped: [] }
    return own(parent, {
      type: 'branch.merged',
      ...{ branchId: agent.branchId, into: parent.branchId, patch, forced: what % 2 === 0, by: 'person', result },
      bases: patch.map(([path, [, after]]) => [path, after] as const),
    })
  },
  discard: (_: Story, agent: Agent) =>
    own(agent, { type: 'branch.discarded', branchId: agent.branchId, patch: [], whole: true, by: 'person' }),
  restore: (_: Story, agent: Agent) => own(agent, { type: 'branch.restored', branchId: agent.branchId, patch: [] }),
  stay: (story: Story, agent: Agent, what: number) => {
    const open = story.log.state.processes.get(agent.threadId)?.find(({ end }) => end === null)
    const { branchId } = agent
    if (open && what % 2 === 0)
      return own(agent, {
        type: 'process.ended',
        ...{ processId: open.id, branchId, by: 'itself', exitCode: 0, signal: null, note: '' },
      })
    const processId = `p${story.count}` as ProcessId
    return own(agent, { type: 'process.started', processId, branchId, command: 'serve', callId: null })
  },
  type: (story: Story, agent: Agent, what: number) => {
    const { branchId } = agent
    const open = story.log.state.terminals.get(agent.threadId)?.at(-1)
    if (!open) return own(agent, { type: 'terminal.started', branchId, terminalId: `t${story.count}` })
    const terminal = { branchId, terminalId: open.id }
    if (open.patch) return own(agent, { type: 'terminal.decided', ...terminal, kept: what % 2 === 0 })
    const patch = what % 3 === 0 ? [] : patchOf(story, agent, what)
    return own(agent, { type: 'terminal.ended', ...terminal, patch })
  },
  check: (story: Story, agent: Agent, what: number) =>
    own(agent, {
      type: 'check.finished',
      ...{ branchId: agent.branchId, on: what % 2 === 0 ? 'branch' : 'merge' },
      result: {
        ...{ check: `check ${what % 2}`, key: `key ${what % 7}`, tree: 't', environment: [], outcome: 'green' },
        ...{ exitCode: 0, output: '', note: '', dropped: [], durationMs: story.count },
      },
    }),
  queue: ({ agents }: Story, _: Agent, what: number) => [
    {
      ...{ type: 'merge.queued', threadId: projectThread },
      branchIds: agents.filter((__, index) => index % 3 === what % 3).map(({ branchId }) => branchId),
    },
  ],
  leave: (_: Story, { branchId }: Agent, what: number) => [
    {
      ...{ type: 'merge.ended', threadId: projectThread, branchId },
      end: what % 2 === 0 ? { kind: 'merged' } : { kind: 'cancelled' },
    },
  ],
} satisfies Record<string, Happen>

const memory = {
  remember: (story: Story, agent: Agent, what: number) => {
    const name = `n${what % 3}`
    const by = { agent: 'main', callId: lastCall(story, agent) ?? null }
    if (what % 5 === 0) return own(agent, { type: 'memory.deleted', name, ...by })
    if (what % 5 === 1) return own(agent, { type: 'memory.recalled', names: [name] })
    return own(agent, { type: 'memory.written', name, text: `text ${story.count}`, restores: null, ...by })
  },
  rememberAll: (story: Story, agent: Agent, what: number) => {
    const by = { agent: 'main', callId: lastCall(story, agent) ?? null }
    const name = `u${what % 3}`
    return what % 3 === 0
      ? own(agent, { type: 'user_memory.deleted', name, ...by })
      : own(agent, { type: 'user_memory.written', name, text: 'text', restores: null, ...by })
  },
} satisfies Record<string, Happen>

const families = {
  begin: (story: Story) => {
    const agent = newAgent(story, null)
    return begun(story, agent, threadCreated(agent.branchId), null)
  },
  fork: (story: Story, parent: Agent) => {
    const agent = newAgent(story, parent)
    const link = {
      ...{ threadId: parent.threadId, callId: 'call' as ToolCallId, handle: `h${story.count}` as Handle },
      ...{ index: 0, task: 'Task', todoIndex: 0 },
    }
    return begun(story, agent, threadCreated(agent.branchId, { parent: link, depth: 1 }), parent.branchId)
  },
  copy: (story: Story, source: Agent, what: number) => {
    const to = checkpointIn(story, source, what)
    if (to === undefined) return []
    const agent = newAgent(story, null)
    return [
      ...begun(story, agent, threadCreated(agent.branchId), null),
      { type: 'thread.copied', threadId: agent.threadId, from: source.threadId, to } as const,
    ]
  },
  rewind: (story: Story, agent: Agent, what: number) => {
    const to = checkpointIn(story, agent, what)
    if (to === undefined) return []
    const noticeId = `n${story.count}` as MessageId
    const scope = { files: what % 3 !== 0, conversation: what % 3 !== 1 }
    return rewindDrafts(story.log, { threadId: agent.threadId, to, undoes: null, noticeId, ...scope })
  },
} satisfies Record<string, Happen>

export const happenings = { ...listed, ...talk, ...work, ...memory, ...families } satisfies Record<string, Happen>

function newAgent(story: Story, parent: Agent | null): Agent {
  const threadId = `thread-${story.count}` as ThreadId
  const agent = { threadId, branchId: `branch-${story.count}` as BranchId, root: parent?.root ?? threadId }
  story.agents.push(agent)
  return agent
}

function begun({ count }: Story, agent: Agent, created: EntryBody, parentId: BranchId | null): Drafts {
  const { branchId, threadId: ownerThreadId } = agent
  const name = `work ${count}`
  return own(agent, created, { type: 'branch.forked', branchId, parentId, ownerThreadId, handle: null, name })
}

/** Lets one thing happen. The family of the agent is loaded first, as before every command of a person. */
export function happen(story: Story, { kind, who, what }: Happening): void {
  story.count += 1
  const agent = story.agents[who % Math.max(1, story.agents.length)]
  if (!agent && kind !== 'begin') return
  if (agent) story.log.load([agent.threadId])
  const act: Happen = happenings[kind]
  const drafts = act(story, agent as Agent, what)
  if (drafts.length > 0) appendTo(story.log, drafts as NonEmpty<EntryDraft>)
}

/** The beginning is always a thread, so that most of the story has somebody to be about. */
export const randomStory: fc.Arbitrary<readonly Happening[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom(...(Object.keys(happenings) as (keyof typeof happenings)[])),
      who: fc.nat(12),
      what: fc.nat(30),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((happened) => [
    { kind: 'begin', who: 0, what: 0 },
    { kind: 'fork', who: 0, what: 0 },
    { kind: 'begin', who: 0, what: 0 },
    ...happened,
  ])
