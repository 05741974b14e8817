import { failure, type Result, success } from '#shared/base/result.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { Entry, EntryBody } from '#shared/model/entry.ts'
import type { BranchId, ProcessId, Sequence, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { ProcessRecord, ProcessView } from '#shared/model/process.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { environmentOf } from '../../branches/branch-trees.ts'
import { commitAlways } from '../../journal/project-log.ts'
import { readBranch } from '../../journal/read-thread.ts'
import { treeAt } from '../../journal/rewind.ts'
import type { Processes } from '../../tools/processes/processes.ts'
import { sameLayers } from '../../trial/outcome.ts'
import { deniedText } from '../../trial/view-notes.ts'
import type { AgentServices } from '../types/services.ts'
import { type BranchNetworks, createBranchNetworks } from './branch-networks.ts'
import { createOutputRing, type OutputRing } from './output-ring.ts'
import { createTellNotes, type TellNotes } from './process-notes.ts'
import { headOf, openLastTrial, openProcessTrial, ownerOf } from './process-trial.ts'
import { type ProcessResult, type RunningProcess, type Stopper, startProcess } from './running-process.ts'
import { type Starter, starterFor } from './start-for-person.ts'
import { takeChanges, wasApproved } from './take-changes.ts'
import { pathsChangedBy, undoneBy } from './undone-work.ts'
import { findWhoListens, noPorts, type SeenPorts } from './who-listens.ts'

/** The processes of a project's agents, with what only a person may do. */
export interface BranchProcesses extends Processes {
  /**
   * Has processes follow what an entry changed: files of branches, or the end of a thread or a branch. A process that began
   * after the state that files went back to ends, and nothing of it is kept.
   */
  take(entry: Entry): void
  /** Ends the processes of a thread, except those that a person keeps, and resolves when their changes are stored. */
  endWithRun(threadId: ThreadId): Promise<void>
  /**
   * Starts a command of a person in a branch, which goes on until that person stops it, or says why it cannot start. Throws
   * `ShellError`.
   */
  startForPerson(branchId: BranchId, command: string): Promise<Result<ProcessView, string>>
  /**
   * Runs a command over a branch that was put away, as it was after an entry, and resolves when its end is stored. Nothing
   * that it changes is kept. Throws `ShellError` when it cannot start.
   */
  takeDown(request: TakeDown): Promise<void>
  /** Lets a process go on after the run of its agent, or no longer. Does nothing when it does not run. */
  keep(threadId: ThreadId, id: ProcessId, isKept: boolean): void
  /** The address of a preview, which is the same until the port is closed. Null when nothing listens on the port. */
  openPreview(branchId: BranchId, port: number): Promise<string | null>
  /** Ends all processes, as the app does. */
  shutDown(): Promise<void>
}

/** A command that takes down what a branch has set up. */
export interface TakeDown {
  readonly branchId: BranchId
  /** The last entry before the branch was put away. */
  readonly at: Sequence
  readonly command: string
  readonly timeoutMs: number
}

interface Slot {
  readonly record: Omit<ProcessRecord, 'end'>
  readonly ring: OutputRing
  /** Null once it has ended. */
  running: RunningProcess | null
  isKept: boolean
  /** As last looked at. */
  seenPorts: SeenPorts
  /** Of the entry of its start. */
  readonly startSequence: Sequence
  /** What its branch changed since its start, even if it changed it back. */
  readonly moved: Set<VirtualPath>
  /** Why nothing of it may be kept any more, as a sentence. Null while it may. */
  undone: string | null
  readonly tell: TellNotes
  /** The position of the output where the agent's last reading ended. */
  readTo: number
  /** Wakes those who wait for output. */
  wakers: (() => void)[]
  /** Resolves when its end is stored. Never rejects. */
  ended: Promise<void>
}

const ringBytes = 1024 * 1024
const mostPerBranch = 8
/** Milliseconds that a process has to end when it is asked to. */
const graceMs = 2_000
/** The output of this many processes that ended is kept. */
const mostEnded = 32
const announceMs = 200

export function createBranchProcesses(services: AgentServices): BranchProcesses {
  const { log, clock } = services
  const slots = new Map<string, Slot>()
  const networks: BranchNetworks = createBranchNetworks(services, (branchId) => void lookAtPorts(branchId))
  /** Processes that have a number and do not run yet. */
  const starting = new Map<string, BranchId>()
  const announced = new Set<string>()
  /** Wakes those who wait for the end of commands. */
  const idleWakers = new Set<() => void>()

  const slotOf = (threadId: ThreadId, id: ProcessId) => slots.get(keyOf(threadId, id))
  const running = () => [...slots.values()].filter((slot) => slot.running !== null)
  const runningIn = (branchId: BranchId) => running().filter(({ record }) => record.branchId === branchId)
  const viewOf = (record: ProcessRecord): ProcessView => {
    const slot = slotOf(record.threadId, record.id)
    const seen = record.end === null ? (slot?.seenPorts ?? noPorts) : noPorts
    return { ...record, ...seen, isKept: slot?.isKept ?? false, outputBytes: slot?.ring.bytes ?? 0 }
  }
  const list = (threadId: ThreadId) => (log.state.processes.get(threadId) ?? []).map(viewOf)
  const find = (threadId: ThreadId, id: ProcessId) => list(threadId).find((process) => process.id === id)

  async function lookAtPorts(branchId: BranchId): Promise<void> {
    const listening = networks.ports(branchId).map(({ port }) => port)
    const own = runningIn(branchId)
    const seen = await findWhoListens(
      listening,
      own.flatMap((slot) => slot.running ?? []),
    )
    for (const [index, slot] of own.entries()) {
      slot.seenPorts = seen[index] ?? noPorts
      announce(slot)
    }
  }
  function announce({ record: { threadId, id } }: Slot): void {
    const process = find(threadId, id)
    const head = { threadId, at: clock.now(), sequence: log.state.sequence }
    if (process) services.announce({ type: 'process.changed', process, ...head })
  }
  /** Output comes in thousands of pieces, so windows hear of it a few times in a second. */
  function announceSoon(slot: Slot): void {
    const key = keyOf(slot.record.threadId, slot.record.id)
    for (const wake of slot.wakers.splice(0)) wake()
    if (announced.has(key)) return
    announced.add(key)
    void clock.sleep(announceMs, new AbortController().signal).then(() => {
      announced.delete(key)
      announce(slot)
    })
  }

  /**
   * A command that runs now stores later what it left, over the layers that it began with. Nobody waits for long: the command
   * joins both itself, unless both end in the same moment.
   */
  async function whenCommandsEnded(threadId: ThreadId, callId: ToolCallId | null): Promise<void> {
    const over = new AbortController()
    const time = clock.sleep(graceMs, over.signal).then(() => 'time' as const)
    time.catch(() => undefined)
    try {
      while (hasCommand(services, threadId, callId)) {
        const woken = new Promise<'woken'>((resolve) => idleWakers.add(() => resolve('woken')))
        if ((await Promise.race([woken, time])) === 'time') return
      }
    } finally {
      over.abort()
    }
  }

  async function finish(slot: Slot, process: RunningProcess): Promise<void> {
    const result = await process.ended
    const { threadId, id, branchId } = slot.record
    if (result.by === 'itself' || result.by === 'agent') await whenCommandsEnded(threadId, process.start.callId)
    const { trial } = process.start
    try {
      await store(services, slot, process, result)
    } finally {
      slot.running = null
      for (const wake of slot.wakers.splice(0)) wake()
      await closeQuietly(trial)
      if (!runningIn(branchId).length && ![...starting.values()].includes(branchId)) await networks.close(branchId)
      else if (networks.ports(branchId).length > 0) void lookAtPorts(branchId)
      announceSoon(slot)
      forgetOldest(slots, keyOf(threadId, id))
    }
  }

  async function open(id: ProcessId, command: string, starter: Starter): Promise<Slot> {
    const { threadId, callId, last = null } = starter
    const { branchId, calls } = requireThread(services, threadId)
    await networks.open(branchId)
    const owner = ownerOf(branchId, id)
    const trial =
      last === null
        ? await openProcessTrial(services, { threadId, branchId, owner }, starter)
        : await openLastTrial(services, { branchId, owner, at: last.at }, starter)
    const ring = createOutputRing(ringBytes)
    const record = { id, threadId, branchId, command, startedAt: clock.now() }
    let slot: Slot | null = null
    try {
      const isApproved = callId === null || wasApproved(calls.get(callId))
      const start = {
        ...{ ...record, callId, isApproved, context: starter, trial, ring },
        ...{ timeoutMs: last?.timeoutMs ?? Number.POSITIVE_INFINITY, follows: last === null },
        onOutput: () => slot && announceSoon(slot),
      }
      const process = await startProcess(services, start)
      const begun = { type: 'process.started', threadId, processId: id, branchId, command, callId } as const
      const [{ sequence }] = commitAlways(log, [
        begun,
        ...trial.entries(callId).map((entry) => ({ threadId, ...entry })),
      ])
      const following = {
        startSequence: sequence,
        moved: new Set<VirtualPath>(),
        undone: last === null ? null : putAway,
        tell: createTellNotes(trial.notes, command),
      }
      slot = {
        record,
        ring,
        running: process,
        isKept: callId === null,
        seenPorts: noPorts,
        readTo: 0,
        wakers: [],
        ended: Promise.resolve(),
        ...following,
      }
      slots.set(keyOf(threadId, id), slot)
      if (networks.ports(branchId).length > 0) void lookAtPorts(branchId)
      slot.ended = finish(slot, process).catch(() => undefined)
      announce(slot)
      return slot
    } catch (error) {
      await trial[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Gives the process a number of its own while it starts. */
  async function openNext(command: string, starter: Starter): Promise<Slot> {
    const { threadId } = starter
    const { branchId } = requireThread(services, threadId)
    const id = nextId(services, threadId, starting)
    starting.set(keyOf(threadId, id), branchId)
    try {
      return await open(id, command, starter)
    } finally {
      starting.delete(keyOf(threadId, id))
      if (!runningIn(branchId).length && ![...starting.values()].includes(branchId)) await networks.close(branchId)
    }
  }

  async function startIn(branchId: BranchId, command: string, starter: Starter): Promise<Result<ProcessView, string>> {
    const busy = [...running().map(({ record }) => record.branchId), ...starting.values()]
    const problem = limitProblem(services, branchId, busy)
    if (problem !== undefined) return failure(problem)
    const { record } = await openNext(command, starter)
    return success(viewOf({ ...record, end: null }))
  }

  async function end(all: readonly Slot[], by: Stopper, grace: number): Promise<void> {
    for (const { running: process } of all) process?.stop(by, grace)
    await Promise.all(all.map(({ ended }) => ended))
  }

  return {
    list,
    async start(command, context) {
      return startIn(requireThread(services, context.threadId).branchId, command, context)
    },
    async startForPerson(branchId, command) {
      const { threadId } = requireBranch(services, branchId)
      const starter = starterFor(services, threadId, headOf(services, branchId))
      return startIn(branchId, command, starter)
    },
    async takeDown({ branchId, at, command, timeoutMs }) {
      const { threadId } = requireBranch(services, branchId)
      const starter = starterFor(services, threadId, treeAt(log, branchId, at) ?? headOf(services, branchId))
      await (await openNext(command, { ...starter, last: { at, timeoutMs } })).ended
    },
    output: (threadId, id, since) => slotOf(threadId, id)?.ring.from(since),
    position: (threadId, id) => slotOf(threadId, id)?.readTo ?? 0,
    read(threadId, id, since, most) {
      const slot = slotOf(threadId, id)
      if (!slot) return undefined
      const asked = since ?? slot.readTo
      const start = since ?? Math.max(asked, slot.ring.bytes - most)
      const { text, next, droppedBytes } = slot.ring.from(start, most)
      slot.readTo = next
      return { text, next, droppedBytes: droppedBytes + start - asked }
    },
    news(threadId, id, output) {
      const end = find(threadId, id)?.end
      const failed = end?.by === 'itself' && end.exitCode !== 0
      return slotOf(threadId, id)?.tell(output, failed) ?? ''
    },
    async wait(threadId, id, since, milliseconds, signal) {
      const slot = slotOf(threadId, id)
      const over = new AbortController()
      const time = clock.sleep(milliseconds, AbortSignal.any([signal, over.signal])).then(() => 'time' as const)
      time.catch(() => undefined)
      try {
        while (slot?.running && (since === null || slot.ring.bytes <= since)) {
          const woken = new Promise<'woken'>((resolve) => slot.wakers.push(() => resolve('woken')))
          if ((await Promise.race([woken, time, slot.ended])) === 'time') return
        }
      } finally {
        over.abort()
      }
    },
    write(threadId, id, text) {
      const process = slotOf(threadId, id)?.running
      process?.write(text)
      return process != null
    },
    async stop(threadId, id, by) {
      const slot = slotOf(threadId, id)
      if (slot) await end([slot], by, graceMs)
    },
    take(entry) {
      if (entry.type === 'tool.finished') {
        for (const wake of idleWakers) wake()
        idleWakers.clear()
      }
      const over = running().filter((slot) => {
        for (const path of pathsChangedBy(entry, slot.record.branchId)) slot.moved.add(path)
        const undone = undoneBy(log.state, entry, { ...slot.record, startedAt: slot.startSequence })
        slot.undone ??= undone ?? null
        if (undone === undefined) slot.running?.follow()
        return undone !== undefined
      })
      if (over.length > 0) void end(over, entry.type === 'rewound' ? 'person' : 'run', 0)
    },
    async endWithRun(threadId) {
      const own = running().filter(({ record, isKept }) => record.threadId === threadId && !isKept)
      await end(own, 'run', graceMs)
    },
    keep(threadId, id, isKept) {
      const slot = slotOf(threadId, id)
      if (!slot?.running) return
      slot.isKept = isKept
      announce(slot)
    },
    openPreview: (branchId, port) => networks.openPreview(branchId, port),
    async shutDown() {
      await end(running(), 'app', graceMs)
      await networks.closeAll()
    },
  }
}

/** What cannot be removed now goes with the next start of the app. */
async function closeQuietly(trial: AsyncDisposable): Promise<void> {
  try {
    await trial[Symbol.asyncDispose]()
  } catch {}
}

function keyOf(threadId: ThreadId, id: ProcessId): string {
  return `${threadId} ${id}`
}

function requireThread({ log }: AgentServices, threadId: ThreadId) {
  const thread = log.state.threads.get(threadId)
  if (!thread) throw new Error(`There is no thread ${threadId}.`)
  return thread
}

function requireBranch({ log }: AgentServices, branchId: BranchId): Branch {
  const branch = readBranch(log, branchId)
  if (!branch) throw new Error(`There is no branch ${branchId}.`)
  return branch
}

const putAway = 'Nothing that it changed was kept, because its branch was put away.'

function nextId({ log }: AgentServices, threadId: ThreadId, starting: ReadonlyMap<string, BranchId>): ProcessId {
  let number = log.state.processes.get(threadId)?.length ?? 0
  while (starting.has(keyOf(threadId, `process_${number}` as ProcessId))) number += 1
  return `process_${number}` as ProcessId
}

function limitProblem(services: AgentServices, branchId: BranchId, busy: readonly BranchId[]): string | undefined {
  const { mostProcesses } = services.settings()
  if (busy.filter((one) => one === branchId).length >= mostPerBranch)
    return `${mostPerBranch} background processes run in your branch already, which is the most. Stop one with process_stop.`
  if (busy.length >= mostProcesses)
    return `${mostProcesses} background processes run in this project already, which is the most (processes.max). Stop one, or wait until another agent has.`
  return undefined
}

/** True while a command of the thread runs, other than the one that a call started in the background. */
function hasCommand({ log }: AgentServices, threadId: ThreadId, callId: ToolCallId | null): boolean {
  const calls = [...(log.state.threads.get(threadId)?.calls.values() ?? [])]
  // The call that started the process may still wait for its first output.
  return calls.some(
    (call) => call.name === toolFacts.execute.name && call.state.kind === 'running' && call.callId !== callId,
  )
}

const attempts = 3

/** Stores the end and the changes in one commit, unless they were undone. When the branch moves on meanwhile, the changes are found anew. */
async function store(
  services: AgentServices,
  slot: Slot,
  process: RunningProcess,
  result: ProcessResult,
): Promise<void> {
  const { log } = services
  const { start } = process
  const { threadId, id: processId, branchId, trial } = start
  const { by, exitCode, signal, captured, isWhole, reached, denied, problem } = result
  const ended = (changes: string) => {
    const note = [reached, changes, deniedText(denied)].filter(Boolean).join(' ')
    return { type: 'process.ended', threadId, processId, branchId, by, exitCode, signal, note } as const
  }
  let note = problem
  for (let attempt = 0; captured !== null && attempt < attempts; attempt += 1) {
    const now = environmentOf(log.trees, branchId)
    const taken = await takeChanges(services, { ...start, view: trial, moved: slot.moved, captured, isWhole }).catch(
      (error: unknown) => ({
        entries: [] as readonly EntryBody[],
        note: `None of its changes were kept: ${error instanceof Error ? error.message : String(error)}`,
      }),
    )
    if (slot.undone !== null) break
    // While layers were joined, a command may have stored others.
    if (!sameLayers(environmentOf(log.trees, branchId), now)) continue
    const kept = taken.entries.flatMap((entry) => (entry.type === 'environment.changed' ? entry.layers : []))
    if (!captured.added?.some((id) => kept.includes(id))) trial.drop()
    if (log.commit([ended(taken.note), ...taken.entries.map((entry) => ({ threadId, ...entry }))]).ok) return
    note = 'None of its changes were kept, because the branch changed all the time.'
  }
  trial.drop()
  commitAlways(log, [ended(slot.undone ?? note)])
}

/** Forgets the output of processes that ended long ago. `latest` has just ended. */
function forgetOldest(slots: Map<string, Slot>, latest: string): void {
  const ended = [...slots].filter(([key, { running }]) => running === null && key !== latest)
  for (const [key] of ended.slice(0, Math.max(ended.length + 1 - mostEnded, 0))) slots.delete(key)
}
