import { type AttemptsWish, attemptsTool, type JudgedAttempt } from '#shared/model/calls/attempts.ts'
import { batchRows } from '#shared/model/derived/batch.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { toolCallsOf } from '#shared/model/message.ts'
import { agentIn } from '#shared/model/models/agent-model.ts'
import { chosenModel, type ThreadState } from '#shared/model/thread.ts'
import type { Attempts, AttemptsSummary, Batches, SpawningCall } from '../../tools/delegate/delegation.ts'
import { keepResults } from '../delegation/batch-results.ts'
import { beginBatch, createBatchProgress, holding, runningKey } from '../delegation/batches.ts'
import { sumOfUsage, workersOf } from '../delegation/budgets.ts'
import type { IdleTracker } from '../delegation/idle-tracker.ts'
import { isStop, RunCut } from '../loop/run.ts'
import type { AskBeside, Question } from '../runtime/ask-beside.ts'
import { summaryModel } from '../runtime/thread-context.ts'
import type { AgentServices } from '../types/services.ts'
import { attemptsProblem, countedChecks } from './attempts-problem.ts'
import { gateOf, raceAttempts, storeJudged } from './attempts-run.ts'
import { summaryOf } from './attempts-summary.ts'
import { forkAttempts } from './fork-attempts.ts'
import { gradeQuestion, readGrades } from './grade-attempts.ts'
import { findEvidence, type Judgement, judgeAttempts, markGreenBefore } from './judge-attempts.ts'
import type { RoundGate } from './round-gate.ts'

interface RunningAttempts {
  readonly abort: AbortController
  readonly gate: RoundGate
}

/** `runThread` runs a thread to its end and never rejects; `ask` asks a model beside the runs. */
export function createAttempts(
  services: AgentServices,
  runThread: (threadId: ThreadId, signal: AbortSignal) => Promise<void>,
  activityOf: (threadId: ThreadId) => IdleTracker,
  ask: AskBeside,
): Attempts {
  const { log } = services
  const running = new Map<string, RunningAttempts>()
  return {
    problem: (wish, by) =>
      typeof by === 'string'
        ? attemptsProblem(services, wish, chosenModel(threadOf(services, by)))
        : (agentProblem(by.model) ?? attemptsProblem(services, wish, by.model)),
    isPersons: (threadId) => isPersons(threadOf(services, threadId)),
    stop(call) {
      const one = running.get(runningKey(call))
      one?.abort.abort(new RunCut('stop'))
      return one !== undefined
    },
    async pass(threadId, signal) {
      const parent = log.state.threads.get(threadId)?.parent
      if (parent) await running.get(runningKey(parent))?.gate.pass(threadId, signal)
    },
    async run(call, wish, runSignal) {
      const own = { abort: new AbortController(), gate: gateOf(services) }
      using _ = holding(running, runningKey(call), own)
      const signal = AbortSignal.any([runSignal, own.abort.signal])
      const isOfPerson = isPersons(threadOf(services, call.threadId))
      const checks = countedChecks(services, wish.checks ?? [])
      const by = isOfPerson ? 'person' : 'agent'
      beginBatch(services, call, wish.budget)
      forkAttempts(services, call, isOfPerson)
      const progress = createBatchProgress(services, call)
      const shown = { started: progress.started, ended: (id: ThreadId) => progress.ended(threadOf(services, id)) }
      const around = { runThread, activity: activityOf(call.threadId), progress: shown, gate: own.gate }
      try {
        await raceAttempts(services, call, { ...around, checks, by, signal })
        await judgeAll(services, call, { wish, checks, by, signal, ask })
      } catch (error) {
        if (!signal.aborted) throw error
      }
      progress.close()
      if (!signal.aborted) return tell(services, call, await keepResults(services, call, 'skipped'))
      if (runSignal.aborted && !isStop(signal.reason)) throw signal.reason
      const kept = await keepResults(services, call, 'cancelled')
      if (runSignal.aborted) throw signal.reason
      return { ...tell(services, call, kept), stopped_by_user: true }
    },
  }
}

/** An external agent gets a message as it is, so nobody could make the attempts. */
function agentProblem(model: string): string | undefined {
  return agentIn(model) === null
    ? undefined
    : 'An external agent answers here, and it cannot try a message several times. Choose a model for the message, and name agents in the variants.'
}

interface JudgeAll {
  readonly wish: AttemptsWish
  readonly checks: readonly string[]
  readonly by: 'person' | 'agent'
  readonly signal: AbortSignal
  readonly ask: AskBeside
}

/** The last look, at every attempt that was made: its checks, its size, and findings where checks do not decide alone. */
async function judgeAll(services: AgentServices, call: SpawningCall, options: JudgeAll): Promise<void> {
  const before = services.log.state.threads.get(call.threadId)?.calls.get(call.callId)?.batch?.judged
  const attempts = batchRows(services.log.state, call.threadId, call.callId).flatMap(({ index, thread }) =>
    thread === null ? [] : [{ index, thread, stopped: before?.get(index)?.stopped ?? null }],
  )
  const threads = new Map(attempts.map(({ index, thread }) => [index, thread]))
  const found = await judgeAttempts(services, attempts, options.checks, options)
  const judgement = await markGreenBefore(services, found, attempts[0]?.thread, options.checks, options)
  const graded = await grade(services, call, judgement, threads, options)
  const note = [judgement.note, graded.note].filter(Boolean).join(' ')
  storeJudged(services, call, graded.attempts, note)
}

/** The same attempts with a grader's findings. Those with equal files have the same ones. */
async function grade(
  services: AgentServices,
  call: SpawningCall,
  judgement: Judgement,
  threads: ReadonlyMap<number, ThreadState>,
  { wish, signal, ask }: JudgeAll,
): Promise<{ readonly attempts: readonly JudgedAttempt[]; readonly note: string }> {
  const { attempts } = judgement
  const evidence = await findEvidence(services, judgement, threads)
  if (evidence.length === 0) return { attempts, note: '' }
  const { random, ids } = services
  const given = threadOf(services, call.threadId).calls.get(call.callId)?.input.task
  const task = typeof given === 'string' ? given : ''
  const { question, order } = gradeQuestion(task, evidence, { random, word: ids.next() })
  if (wish.budget !== undefined && !paysFor(services, call, wish.budget, question))
    return { attempts, note: 'The rest of the budget does not pay for a grader, so nobody read the changes.' }
  const asked = await ask(call.threadId, question, signal)
  const grades = asked.ok ? readGrades(asked.value.text, order) : asked
  if (!grades.ok) return { attempts, note: `Nobody read the changes: ${grades.error}` }
  const found = (one: JudgedAttempt) => grades.value.get(one.same ?? one.index) ?? null
  return { attempts: attempts.map((one) => ({ ...one, findings: found(one) })), note: '' }
}

/** True when what is left pays for the longest answer. */
function paysFor(
  services: AgentServices,
  call: SpawningCall,
  budget: number,
  { system, task, maxTokens }: Question,
): boolean {
  const model = summaryModel(services, threadOf(services, call.threadId))
  const tokens = {
    ...{ inputTokens: 0, cacheReadTokens: 0 },
    cacheWriteTokens: Math.ceil((system.length + task.length) / 3),
  }
  const most = services.costOf(model, { ...tokens, outputTokens: maxTokens })
  const { cost } = sumOfUsage(workersOf(services.log.state, call))
  return most !== null && cost !== null && cost + most <= budget
}

function tell(
  services: AgentServices,
  call: SpawningCall,
  { usage, results_file }: Awaited<ReturnType<Batches['run']>>,
): AttemptsSummary {
  const rows = batchRows(services.log.state, call.threadId, call.callId)
  const batch = threadOf(services, call.threadId).calls.get(call.callId)?.batch
  const found = summaryOf(rows, batch?.judged ?? new Map())
  return { ...found, note: batch?.judgedNote ?? '', results_file, cost: usage.cost }
}

/** True for the thread whose last reply is the call that a person's message stands for. */
function isPersons({ messages }: ThreadState): boolean {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const [reply, before] = [messages[last], messages.slice(0, last).findLast(({ role }) => role === 'user')]
  const isCall = reply?.role === 'assistant' && toolCallsOf(reply).some(({ name }) => name === attemptsTool)
  return isCall && before?.role === 'user' && before.attempts !== undefined
}

function threadOf({ log }: AgentServices, id: ThreadId): ThreadState {
  const thread = log.state.threads.get(id)
  if (!thread) throw new Error(`No thread ${id}`)
  return thread
}
