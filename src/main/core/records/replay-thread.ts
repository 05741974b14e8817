import { isAsking } from '#shared/model/calls/call.ts'
import type { Decision, Interrupt } from '#shared/model/calls/interrupt.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { CommandUse } from '#shared/model/message.ts'
import { familyOf } from '#shared/model/project-state.ts'
import type { AgentRuntime } from '../agent/runtime/runtime.ts'
import type { ProjectServices } from '../agent/types/services.ts'
import type { CommandProject, Decided } from '../commands/command.ts'
import { configureThread, setAnswerSchema, setGoal } from '../commands/threads.ts'
import { fromBase64 } from '../tools/files/image-info.ts'
import { type Difference, treeDifference } from './difference.ts'
import { followThread, type ThreadFollower } from './follow-thread.ts'
import { createPersonLines, type PersonLine } from './person-lines.ts'
import type { LineOf, RecordKind, RecordLine, ThreadRecord } from './record-format.ts'
import { decisionHere, mayDecide } from './recorded-decisions.ts'
import type { RecordedModel } from './recorded-model.ts'

/** What a replay needs of an open project whose models answer from the record. */
export interface ReplayProject {
  readonly services: CommandProject & Pick<ProjectServices, 'checks' | 'shell' | 'routes'>
  readonly runtime: AgentRuntime
  /** False to give no recorded approval: such calls wait for the person who replays. */
  readonly approves: boolean
  /** Stores a command's decision, or throws its refusal. */
  run(decided: Decided): unknown
  /** Calls `listener` with every entry from now on, in order. */
  listen(listener: (entry: Entry) => void): Disposable
}

export interface ReplayResult {
  /** Replies that were served again. */
  readonly steps: number
  readonly agents: number
  /** Undefined when every tree is the recorded one. */
  readonly difference: Difference | undefined
}

/** A replay that has begun. */
export interface Replay {
  readonly threadId: ThreadId
  /** Resolves when the record is over, or something is not as recorded. */
  readonly ended: Promise<ReplayResult>
}

/**
 * Runs a recorded thread again. Its models say what they said, people decide as they decided, and the tools run for
 * real. Each tree is compared with the recorded one, and the first difference ends the replay.
 */
export function replayThread(project: ReplayProject, record: ThreadRecord, model: RecordedModel): Replay {
  const { services, runtime } = project
  const { log, hashing } = services
  const person = createPersonLines(record)
  const decisions = byAgent(record, 'decision')
  const comparison = createComparison(record)
  /** The number of the last reply of each agent. */
  const given = new Map<string, number>()
  let [steps, asks] = [0, 0]
  let difference: Difference | undefined
  const differ = (found: Difference): void => {
    if (difference) return
    difference = found
    later(() => runtime.stop(threadId))
  }
  model.hooks = {
    beforeReply(agent, number) {
      steps += 1
      given.set(agent, number)
      for (const line of person.takeDuring(agent, number, asks)) act(line)
    },
    stop: () => later(() => runtime.stop(threadId)),
    differ,
    rename: comparison.rename,
  }

  const before = log.state.sequence
  const first = person.takeFirst()
  const { title, agentType, approvalMode, answerSchema } = record.header
  const threadId = runtime.begin(
    { title, model: record.header.model, agentType, approvalMode, answerSchema },
    (id) => {
      storeInputs(services, id, record)
      return first?.content ?? []
    },
    { step: first !== undefined && person.isStepping(), command: limitOf(first) },
  )
  const follower: ThreadFollower = followThread(threadId, hashing)
  const listening = project.listen(take)
  for (const entry of log.entriesAfter(before)) take(entry)
  for (const line of person.takeDuring('main', 0, 0)) act(line)
  return { threadId, ended: goThrough().finally(() => listening[Symbol.dispose]()) }

  function take(entry: Entry): void {
    for (const line of follower.take(entry)) {
      const found = comparison.take(line)
      if (found) differ(found)
    }
    const agent = follower.pathOf(entry.threadId)
    if (agent === undefined) return
    if (entry.type === 'run.started') model.takeStart(agent)
    if (entry.type === 'run.ended') model.takeEnd(agent, entry)
    if (entry.type === 'tool.started') model.takeCall(agent, follower.numberOf(entry.threadId, entry.callId))
    // The loop that raised it has to store it and go to sleep first.
    if (entry.type === 'interrupt.raised')
      later(() => {
        asks += 1
        for (const [path, replies] of given) for (const line of person.takeDuring(path, replies, asks)) act(line)
        decide(agent, entry.interrupt)
      })
  }

  /** Decides on what waits as it was decided. Calls without a recorded decision that counts here keep waiting. */
  function decide(agent: string, interrupt: Interrupt): void {
    const calls = log.state.threads.get(interrupt.threadId)?.calls
    const own = decisions.get(agent) ?? []
    const due = interrupt.action_requests.flatMap((request): Decision[] => {
      const call = follower.numberOf(interrupt.threadId, request.callId)
      const isWaiting = isAsking(calls?.get(request.callId))
      const at = isWaiting ? own.findIndex((line) => line.call === call) : -1
      const [line] = at < 0 ? [] : own.splice(at, 1)
      if (!line || !mayDecide(services, request, line.decision)) return []
      const isApproval = line.decision.type === 'approve' || line.decision.type === 'edit'
      if (isApproval && !project.approves) return []
      return [decisionHere(line.decision, request.callId)]
    })
    if (difference || due.length === 0) return
    try {
      runtime.decide(interrupt.threadId, interrupt.id, due)
    } catch (error) {
      differ(waits(agent, `its recorded decision cannot be given. ${messageOf(error)}`))
    }
  }

  /** Does what a person did at this point of the record. What is refused here is a difference. */
  function act(line: PersonLine): void {
    const id = follower.threadOf(line.agent)
    if (id === undefined) return
    try {
      carryOut(line, id)
    } catch (error) {
      differ(waits(line.agent, `what a person did then (${line.kind}) is refused here. ${messageOf(error)}`))
    }
  }

  function carryOut(line: PersonLine, id: ThreadId): void {
    switch (line.kind) {
      case 'message': {
        const origin = line.origin === 'notice' ? 'notice' : 'person'
        const { content, delivery } = line
        runtime.send(id, content, delivery ?? 'queue', { step: person.isStepping(), origin, command: limitOf(line) })
        break
      }
      case 'configure':
        configure(project, id, line)
        break
      case 'compact':
        runtime.compact(id, { goOn: line.atRest && isFollowedByReply(record, line) })
        break
      case 'start':
        // After the app was closed, the recorded run began again. This one just went on.
        if (model.hasLeft()) runtime.resume(id, { step: line.step })
        break
      case 'act':
        if (model.hasLeft()) differ(actDifference(line))
        break
    }
  }

  async function goThrough(): Promise<ReplayResult> {
    await runtime.whenIdle(threadId)
    for (let line = next(); line; line = next()) {
      act(line)
      await runtime.whenIdle(threadId)
    }
    return { steps, agents: comparison.agents(), difference: difference ?? model.findLeft() }
  }

  function next(): PersonLine | undefined {
    if (!difference && model.hasLeft()) {
      const waiting = familyOf(log.state, threadId).find(({ interrupts }) => interrupts.length > 0)
      const agent = waiting && follower.pathOf(waiting.id)
      const [request] = waiting?.interrupts[0]?.action_requests ?? []
      if (agent !== undefined && request)
        differ(
          waits(
            agent,
            `the call of ${request.name} waits for a decision that the record does not hold, or that leaves the sandbox`,
          ),
        )
    }
    return difference ? undefined : person.takeNext()
  }
}

/** What a command of a person's message says about calls. The model is that of the record. */
function limitOf(line: LineOf<'message'> | undefined): CommandUse | undefined {
  return line?.command && { ...line.command, model: null }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function configure({ services, run }: ReplayProject, threadId: ThreadId, line: LineOf<'configure'>): void {
  const { model, approvalMode, answerSchema, goal } = line
  run(configureThread(services, { threadId, model, approvalMode }))
  if (answerSchema !== undefined) run(setAnswerSchema(services, { threadId, answerSchema }))
  if (goal !== undefined) run(setGoal(services, services.checks.definitions(), { threadId, goal }))
}

/** Acts when what goes on now is done. */
function later(act: () => void): void {
  void Promise.resolve().then(act)
}

interface Comparison {
  /** Compares a line of the replay with the recorded one. */
  take(line: RecordLine): Difference | undefined
  /** Gives recorded names their present form. */
  rename(text: string): string
  agents(): number
}

function createComparison(record: ThreadRecord): Comparison {
  const trees = byAgent(record, 'tree')
  const names = byAgent(record, 'name')
  const renamed = new Map<string, string>()
  const agents = new Set<string>()
  return {
    take(line) {
      agents.add(line.agent)
      if (line.kind === 'name') {
        const own = names.get(line.agent) ?? []
        const [recorded] = own.splice(
          Math.max(
            0,
            own.findIndex((one) => one.of === line.of),
          ),
          1,
        )
        if (recorded?.of === line.of) renamed.set(recorded.name, line.name)
      }
      // Beyond the end of a record that was cut, there is nothing to compare with.
      const expected = line.kind === 'tree' ? trees.get(line.agent)?.shift() : undefined
      if (!expected || line.kind !== 'tree') return undefined
      return expected.tree === line.tree && expected.step === line.step
        ? undefined
        : treeDifference(line, expected, line)
    },
    rename: (text) => [...renamed].reduce((kept, [from, to]) => kept.replaceAll(from, to), text),
    agents: () => agents.size,
  }
}

function byAgent<Kind extends RecordKind>({ lines }: ThreadRecord, kind: Kind): ReadonlyMap<string, LineOf<Kind>[]> {
  const found = new Map<string, LineOf<Kind>[]>()
  for (const line of lines) {
    if (line.kind !== kind) continue
    const own = found.get(line.agent) ?? []
    own.push(line as LineOf<Kind>)
    found.set(line.agent, own)
  }
  return found
}

function storeInputs({ scratch, prefixes }: CommandProject, threadId: ThreadId, { lines }: ThreadRecord): void {
  for (const line of lines) {
    const bytes = line.kind === 'input' ? fromBase64(line.data) : undefined
    if (line.kind === 'input' && bytes) scratch.write(threadId, `${prefixes['/inputs/']}${line.path}`, bytes)
  }
}

/** True when the run that a summary at rest began went on to work. */
function isFollowedByReply({ lines }: ThreadRecord, line: LineOf<'compact'>): boolean {
  const after = lines.slice(lines.indexOf(line) + 1).filter(({ agent }) => agent === line.agent)
  return after.find(({ kind }) => kind === 'reply' || kind === 'end')?.kind === 'reply'
}

function waits(agent: string, what: string): Difference {
  return { kind: 'waits', agent, step: 0, message: `${agent} cannot go on: ${what}.` }
}

function actDifference({ agent, step, what }: LineOf<'act'>): Difference {
  const message = `After step ${step} of ${agent}, a person changed the thread by hand (${what}). A replay cannot do that, so it ends here. Everything before is as recorded.`
  return { kind: 'act', agent, step, message }
}
