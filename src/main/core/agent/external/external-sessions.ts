import { diffTrees, type Tree } from '#overlay'
import type { Entry, EntryFromTool } from '#shared/model/entry.ts'
import type { BranchId, Sequence, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { AssistantMessage } from '#shared/model/message.ts'
import { commitAlways } from '../../journal/project-log.ts'
import type { McpTool } from '../../ports/mcp-client.ts'
import {
  type AgentConnection,
  type AgentSession,
  ExternalAgentError,
  type SessionRequest,
} from '../../ports/programs/external-agent.ts'
import type { Trial } from '../../trial/open-trial.ts'
import { linksText, notKeptText } from '../../trial/place-changes.ts'
import { evictedText } from '../../trial/view-notes.ts'
import type { CallWorkspace } from '../calls/call-context.ts'
import { headOf, openProcessTrial } from '../processes/process-trial.ts'
import { environmentEntry } from '../processes/take-changes.ts'
import { pathsChangedBy, undoneBy } from '../processes/undone-work.ts'
import type { ExternalProgram } from '../types/agent-definition.ts'
import type { AgentServices } from '../types/services.ts'
import { type AgentView, createAgentView } from './agent-view.ts'
import { serverName, toolInstructions } from './askable-tools.ts'
import { type AskedTools, createAskedTools } from './asked-tools.ts'
import { lastSession, viewOwner } from './find-sessions.ts'
import { lastRefusal } from './last-refusal.ts'
import { type StartedAgent, startAgent } from './start-agent.ts'

/** An external agent that works on a branch, and its conversation. */
export interface ExternalSession {
  readonly agent: AgentSession
  readonly connection: AgentConnection
  readonly view: AgentView
  /** Absolute path of the project, as the agent sees it. */
  readonly folder: string
  /** False while it knows nothing of what the thread said before. */
  remembers: boolean
  /** The ids of the model and the effort that the agent began it with; empty where it offers no choice. */
  readonly usual: { readonly model: string; readonly effort: string }
  /** True while its effort is the one that we wanted. */
  hasEffort: boolean
  /** Keeps how many tokens the window of a model has, as the agent says it. */
  keepWindow(tokens: number): void
  /** Keeps the commands that it offers, for the menus. */
  keepCommands(): void
  /** US dollars that it has cost and that the journal knows. Null for a conversation of before that told none yet. */
  paid: number | null
  /** The calls whose changes are the agent's own. */
  readonly calls: Set<ToolCallId>
  /** The calls of our tools that it makes. */
  readonly asked: AskedTools
  /** Hosts that the sandbox has kept it from by now. */
  refusedHosts(): readonly string[]
  /** Shows the agent what others changed on its branch. */
  follow(signal: AbortSignal): Promise<void>
}

export interface SessionStart {
  readonly threadId: ThreadId
  readonly program: ExternalProgram
  readonly workspace: Pick<CallWorkspace, 'access' | 'branch' | 'files'>
  /** The tools of ours that it may call. */
  readonly tools: readonly McpTool[]
}

interface OpenedSession {
  readonly session: ExternalSession
  /** They say that it began. Empty for one that was there already. */
  readonly entries: readonly EntryFromTool[]
}

/** The external agents that work in a project. */
export interface ExternalSessions {
  /**
   * The session of a thread. One that has ended is gone on with where the agent can do that. One whose agent does not end
   * a turn that was stopped is ended. Throws `ExternalAgentError`,
   * `ShellError`, `BranchMountError`, and the abort reason.
   */
  open(start: SessionStart, signal: AbortSignal): Promise<OpenedSession>
  /** Has the sessions follow what an entry changed. One whose state was taken back ends, and nothing of it is kept. */
  take(entry: Entry): void
  /** Stores what the agent of a thread said last in a turn that was cut off. Not for a thread that was deleted meanwhile. */
  storeLast(threadId: ThreadId, message: AssistantMessage): void
  /** The thread has nothing for its agent to do. Its session is ended when that stays so for ten minutes. */
  rest(threadId: ThreadId): void
  /** Ends the session of a thread and stores what it changed last. Does nothing when there is none. */
  end(threadId: ThreadId): Promise<void>
  shutDown(): Promise<void>
}

interface Held {
  readonly threadId: ThreadId
  readonly session: ExternalSession
  readonly branchId: BranchId
  readonly viewId: string
  /** Of the newest entry when it was opened. */
  readonly startedAt: Sequence
  /** Why nothing of it may be kept any more. Null while it may. */
  undone: string | null
  readonly openedWith: Tree
  /** Aborts the wait for its end while nothing is asked of it. */
  rest: AbortController
  /** Resolves when it has ended and what it changed is stored. */
  stop(): Promise<void>
}

/** Milliseconds in which an agent must have said hello and begun a conversation. Some install themselves first. */
const startMs = 60_000
/** Milliseconds that an agent stays with nothing to do. It costs memory, and another start costs a second. */
const restMs = 10 * 60_000
/** Milliseconds in which an agent that was stopped must have ended its turn before it hears the next message. */
const cancelMs = 2_000

export function createExternalSessions(services: AgentServices): ExternalSessions {
  const { log, shell, clock } = services
  const held = new Map<ThreadId, Held>()
  /** The ends that are under way. Another session of the thread would not have what they store. */
  const endings = new Map<ThreadId, Promise<void>>()
  const leave = (threadId: ThreadId, stored: Promise<void>): void => {
    held.delete(threadId)
    const ending = stored.finally(() => {
      if (endings.get(threadId) === ending) endings.delete(threadId)
    })
    endings.set(threadId, ending)
  }
  const end = async (threadId: ThreadId): Promise<void> => {
    const slot = held.get(threadId)
    if (slot) leave(threadId, slot.stop())
    await endings.get(threadId)
  }

  return {
    async open(start, signal) {
      const there = held.get(start.threadId)
      there?.rest.abort()
      if (there && (await isFree(there, clock, signal))) return { session: there.session, entries: [] }
      await end(start.threadId)
      if (shell.sandbox().state !== 'on') throw new ExternalAgentError('failed', withoutSandbox(shell.sandbox().reason))
      const late = new AbortController()
      const over = new AbortController()
      later(clock, startMs, over.signal, () => late.abort())
      try {
        const { slot, entries } = await begin(
          services,
          start,
          AbortSignal.any([signal, late.signal]),
          (ended, stored) => {
            if (held.get(start.threadId) === ended) leave(start.threadId, stored)
          },
        )
        held.set(start.threadId, slot)
        // Nobody told it of these while it started.
        const moved = diffTrees(slot.openedWith, headOf(services, slot.branchId))
        slot.session.view.moved(moved.map(([path]) => path))
        return { session: slot.session, entries }
      } catch (error) {
        if (late.signal.aborted && !signal.aborted) throw new ExternalAgentError('failed', tooLate)
        throw error
      } finally {
        over.abort()
      }
    },
    take(entry) {
      for (const [threadId, slot] of held) {
        const { branchId, startedAt, session } = slot
        const isOwn = entry.type === 'tree.changed' && entry.callId !== null && session.calls.has(entry.callId)
        if (!isOwn) session.view.moved(pathsChangedBy(entry, branchId))
        // The agent cannot be made to forget, so after a rewind it begins anew.
        const isTakenBack = entry.type === 'rewound' && log.rootOf(threadId) === log.rootOf(entry.threadId)
        const undone = undoneBy(log.state, entry, { threadId, branchId, startedAt }) ?? (isTakenBack ? '' : undefined)
        if (undone === undefined) continue
        slot.undone ??= undone
        void end(threadId)
      }
    },
    storeLast(threadId, message) {
      if (log.state.threads.has(threadId)) commitAlways(log, [{ type: 'message', threadId, message }])
    },
    rest(threadId) {
      const slot = held.get(threadId)
      if (!slot) return
      slot.rest.abort()
      slot.rest = new AbortController()
      later(clock, restMs, slot.rest.signal, () => end(threadId))
    },
    end,
    async shutDown() {
      await Promise.all([...new Set([...held.keys(), ...endings.keys()])].map(end))
    },
  }
}

/** Acts after a time, unless the signal aborts first. */
function later(clock: AgentServices['clock'], milliseconds: number, signal: AbortSignal, act: () => unknown): void {
  void clock.sleep(milliseconds, signal).then(act, () => undefined)
}

/** Whether it has ended its last turn. An agent may go on for a while after it was stopped, or for ever. */
async function isFree({ session }: Held, clock: AgentServices['clock'], signal: AbortSignal): Promise<boolean> {
  const over = new AbortController()
  const late = clock.sleep(cancelMs, AbortSignal.any([signal, over.signal])).then(() => false)
  late.catch(() => undefined)
  const isIdle = await Promise.race([session.agent.whenIdle().then(() => true), late])
  over.abort()
  return isIdle
}

const tooLate = `The agent did not begin a conversation within ${startMs / 1000} s. Try its command in a terminal of the branch: it may wait for a login, or need a host.`

/** Why no external agent starts, as sentences for a person. `reason` is that of the sandbox. */
export function withoutSandbox(reason: string): string {
  return `An external agent runs only in a sandbox that works, because nobody sees what it does before it does it. ${reason} See coppice doctor.`
}

/** Opens the view, starts the agent in it and begins its conversation. `onEnd` hears of its end, whatever ended it. */
async function begin(
  services: AgentServices,
  { threadId, program, workspace, tools }: SessionStart,
  signal: AbortSignal,
  onEnd: (slot: Held, stored: Promise<void>) => void,
): Promise<{ readonly slot: Held; readonly entries: readonly EntryFromTool[] }> {
  const { log, ids } = services
  const thread = log.state.threads.get(threadId)
  if (!thread) throw new Error(`There is no thread ${threadId}.`)
  const { branchId } = thread
  const viewId = `agent_${ids.next()}`
  const startedAt = log.state.sequence
  const place = { threadId, branchId, owner: viewOwner(branchId, viewId) }
  const trial = await openProcessTrial(services, place, { ...workspace, signal })
  try {
    const asked = createAskedTools()
    const served = { instructions: toolInstructions, list: () => tools, call: asked.call }
    const started = await startAgent(services, program, trial.view, signal, (talk) =>
      services.toolServer.serve(talk, served),
    )
    const view = createAgentView({ services, branchId, trial, access: workspace.access })
    const { agent, remembers } = await converse(services, threadId, started, signal)
    const { connection, folder, running } = started
    if (!remembers) services.agentModels.keepOffered(thread.agentType, agent.choices)
    const modelNow = () => log.state.threads.get(threadId)?.model ?? thread.model
    const session: ExternalSession = {
      ...{ agent, connection, view, folder, remembers, paid: remembers ? null : 0, calls: new Set<ToolCallId>() },
      asked,
      refusedHosts: running.refusedHosts,
      usual: { model: agent.choices('model').current, effort: agent.choices('effort').current },
      hasEffort: false,
      keepCommands: () => services.agentModels.keepCommands(thread.agentType, agent.commands()),
      keepWindow: (tokens) => services.agentModels.keepWindow(modelNow(), tokens),
      follow: (given) => view.follow(running, given),
    }
    const slot: Held = {
      ...{ threadId, session, branchId, viewId, startedAt, undone: null, openedWith: trial.tree },
      rest: new AbortController(),
      async stop() {
        connection.close()
        await started.stop()
        await finished
      },
    }
    const finished = started.ended.then(() => {
      slot.rest.abort()
      return finish(services, slot, trial)
    })
    void started.ended.then(() => onEnd(slot, finished))
    const { name, version } = connection.info
    const begun = { branchId, view: viewId, session: agent.id, agent: [name, version].filter(Boolean).join(' ') }
    return { slot, entries: [{ type: 'session.began', ...begun }, ...trial.entries(null)] }
  } catch (error) {
    await trial[Symbol.asyncDispose]()
    throw error
  }
}

/** The conversation of before, where the agent still has it, or a new one. */
async function converse(
  { log, place }: AgentServices,
  threadId: ThreadId,
  { connection, folder, talk, stop }: StartedAgent,
  signal: AbortSignal,
): Promise<{ readonly agent: AgentSession; readonly remembers: boolean }> {
  const [command = '', ...args] = talk?.split(' ') ?? []
  const servers = talk === null ? [] : [{ name: serverName, command, args }]
  const request: SessionRequest = { folder, folders: place.others.map((other) => other.folder), servers }
  const former = connection.info.keepsSessions ? lastSession(log, threadId) : null
  try {
    const resumed = former === null ? null : await connection.resumeSession(former, request, signal)
    const agent = resumed ?? (await connection.newSession(request, signal))
    return { agent, remembers: resumed !== null }
  } catch (error) {
    connection.close()
    await stop()
    throw error
  }
}

/** Stores the end of a session, with what the agent changed since its last call and what it left in ignored files. */
async function finish(services: AgentServices, slot: Held, trial: Trial): Promise<void> {
  const { log } = services
  const { threadId, branchId, viewId: view, session } = slot
  const store = (note: string, entries: readonly EntryFromTool[]) => {
    if (!log.state.threads.has(threadId)) return
    const drafts = entries.map((entry) => ({ threadId, ...entry }))
    commitAlways(log, [{ type: 'session.ended', threadId, branchId, view, note }, ...drafts])
  }
  try {
    if (slot.undone !== null) {
      store(slot.undone, [])
      return
    }
    const { kept, captured, refusedLinks = [], notKept } = await session.view.end(true)
    const callId = [...session.calls].at(-1) ?? null
    const left = await environmentEntry(services, { branchId, view: trial, captured, callId })
    const refusal =
      kept.kind === 'refused'
        ? kept.message
        : await lastRefusal(services, threadId, headOf(services, branchId), kept.branch.tree)
    const patch = kept.kind === 'kept' && refusal === undefined ? kept.branch.patch() : []
    const changed = patch.length === 0 ? [] : [{ type: 'tree.changed', branchId, patch, callId } as const]
    const notes = [refusal, linksText(refusedLinks), notKeptText(notKept), evictedText(left.evicted)]
    store(notes.filter(Boolean).join(' '), [...changed, ...left.entries])
  } catch (error) {
    store(`What it changed last could not be read: ${error instanceof Error ? error.message : String(error)}`, [])
  } finally {
    // What cannot be removed now goes with the next start of the app.
    await Promise.resolve(trial[Symbol.asyncDispose]()).catch(() => undefined)
  }
}
