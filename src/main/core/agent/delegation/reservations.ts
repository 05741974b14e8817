import type { BatchStart } from '#shared/model/calls/call.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { addUsage, assumedCost, noSpending, noUsage, tokensOf, type Usage } from '#shared/model/models/usage.ts'
import { rootThreadOf } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { ModelRequest } from '../../ports/model-client.ts'
import type { SpawningCall } from '../../tools/delegate/delegation.ts'
import type { AgentServices } from '../types/services.ts'
import type { Budget, Budgets } from '../types/settings.ts'
import { batchesAbove, budgetOfBatch, restSpent, spentBudget, sumOfUsage, workersOf } from './budgets.ts'

/**
 * What the model calls under way may cost at most. Limits count it in, so that calls that run at once spend no more
 * together than a limit says. It is kept in memory: after a crash no call is under way.
 */
export interface Reservations {
  /**
   * Resolves when every limit of the thread has room for the request, or says which has none. Waits for other calls under
   * way, which mostly cost less than they may. The last call before a limit gets a shorter reply. Throws the abort reason.
   */
  reserve(threadId: ThreadId, request: ModelRequest, signal: AbortSignal, holder?: Holder): Promise<Reservation>
  /** What the replies of a run cost is in the journal now. */
  stored(holder: Holder): void
  /** Nothing of a run is under way any more. */
  ended(holder: Holder): void
}

/** Who makes the calls: the run of a thread, which is meant without one, or a question beside it. */
export type Holder = ThreadId | symbol

export type Reservation =
  | {
      readonly ok: true
      /** Tokens of the reply at most. */
      readonly maxTokens: number
      /** Set to the limit when the reply had to be shorter for it. */
      readonly shortenedBy: string | undefined
      /** What the call did cost. It counts until it is stored. */
      replied(usage: Usage): void
      /** The call costs nothing that anybody knows of. */
      failed(): void
    }
  | { readonly ok: false; readonly spent: string }

/** A call whose cost is not in the journal yet. */
interface Held {
  readonly threadId: ThreadId
  readonly holder: Holder
  usage: Usage
}

/** Tokens. A shorter reply is of no use. */
const leastReply = 1_024

export function createReservations({
  log,
  clock,
  settings,
  costOf,
}: Pick<AgentServices, 'log' | 'clock' | 'settings' | 'costOf'>): Reservations {
  let held: readonly Held[] = []
  let waiting: (() => void)[] = []

  const change = (next: readonly Held[]): void => {
    held = next
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }

  const limitOf = ({ of, batch }: Scope): Budget => {
    const { budgets } = settings()
    return batch ? budgetOfBatch(budgets, batch) : budgets[of]
  }

  /** The most tokens of a reply that one limit leaves, and whether other calls under way share it. */
  function roomOf(
    scope: Scope,
    own: Holder,
    most: (output: number) => Usage,
  ): { readonly output: number; readonly isShared: boolean } {
    const { unknownPrice } = settings()
    const { cost, tokens, modelCalls } = limitOf(scope)
    const shared = held.filter(({ threadId }) => scope.includes(threadId))
    const used = sumOfUsage([scope.spent(), ...shared])
    const dollarsOf = (usage: Usage) =>
      usage.cost ?? (unknownPrice === 'refuse' ? 0 : assumedCost(addUsage(noUsage, usage), unknownPrice))
    const [without, withMillion] = [dollarsOf(most(0)), dollarsOf(most(1_000_000))]
    const each = (withMillion - without) / 1_000_000
    const rests = [
      ...(cost === null ? [] : [restOf(cost - dollarsOf(used) - without, each)]),
      ...(tokens === null ? [] : [tokens - tokensOf(used) - tokensOf(most(0))]),
      ...(modelCalls === null || used.modelCalls + 1 <= modelCalls ? [] : [-1]),
    ]
    return {
      output: Math.floor(Math.min(Number.POSITIVE_INFINITY, ...rests)),
      isShared: shared.some(({ holder }) => holder !== own),
    }
  }

  /** The limits that hold for a thread: what counts against each, and the calls under way that share it. */
  function scopesOf(thread: ThreadState): readonly Scope[] {
    const { state } = log
    const root = rootThreadOf(state, thread.id)
    const ofFamily = (threadId: ThreadId) => rootThreadOf(state, threadId) === root
    const spending = () => state.spending.get(root) ?? noSpending
    const { parent } = thread
    const worksFor = (threadId: ThreadId, batch: SpawningCall) =>
      batchesAbove(state, state.threads.get(threadId) ?? { parent: null }).some(
        (one) => one.threadId === batch.threadId && one.callId === batch.callId,
      )
    const ofBatches = batchesAbove(state, thread).map(
      (call): Scope => ({
        ...{ of: 'batch', batch: call.batch },
        spent: () => ({ usage: sumOfUsage(workersOf(state, call)) }),
        includes: (threadId) => worksFor(threadId, call),
      }),
    )
    const scopes: readonly (Scope | null)[] = [
      { of: 'run', spent: () => ({ usage: spending().run }), includes: ofFamily },
      { of: 'thread', spent: () => ({ usage: spending().ever }), includes: ofFamily },
      parent && { of: 'subagent', spent: () => thread, includes: (id) => id === thread.id },
      ...ofBatches,
    ]
    const isLimited = (scope: Scope) => Object.values(limitOf(scope)).some((limit) => limit !== null)
    return scopes.filter((scope) => scope !== null).filter(isLimited)
  }

  function tryReserve(thread: ThreadState, request: ModelRequest, holder: Holder): Reservation | 'wait' {
    const input = inputOf(request)
    const most = (outputTokens: number): Usage => {
      const tokens = { ...noUsage, modelCalls: 1, cacheWriteTokens: input, outputTokens }
      return { ...tokens, cost: costOf(request.model, tokens) }
    }
    let [maxTokens, shortenedBy]: [number, string | undefined] = [request.maxTokens, undefined]
    for (const scope of scopesOf(thread)) {
      const { output, isShared } = roomOf(scope, holder, most)
      if (output >= maxTokens) continue
      if (isShared) return 'wait'
      const spent = restSpent(scope.of, limitOf(scope))
      if (output < Math.min(leastReply, request.maxTokens))
        return { ok: false, spent: spentBudget(log.state, thread, settings(), clock.now()) ?? spent }
      ;[maxTokens, shortenedBy] = [output, spent]
    }
    const own: Held = { threadId: thread.id, holder, usage: most(maxTokens) }
    held = [...held, own]
    return {
      ...{ ok: true, maxTokens, shortenedBy },
      replied(usage) {
        own.usage = usage
        change(held)
      },
      failed: () => change(held.filter((one) => one !== own)),
    }
  }

  return {
    async reserve(threadId, request, signal, holder = threadId) {
      for (;;) {
        signal.throwIfAborted()
        const thread = log.state.threads.get(threadId)
        if (!thread) throw new Error(`No thread ${threadId}`)
        const tried = tryReserve(thread, request, holder)
        if (tried !== 'wait') return tried
        await changed(signal, (wake) => waiting.push(wake))
      }
    },
    stored: (holder) => change(held.filter((one) => one.holder !== holder)),
    ended: (holder) => change(held.filter((one) => one.holder !== holder)),
  }
}

interface Scope {
  readonly of: keyof Budgets
  /** The batch that it is of. Absent for the other kinds. */
  readonly batch?: BatchStart
  /** What is in the journal. */
  readonly spent: () => { readonly usage: Usage }
  /** True for a thread whose calls count as well. */
  readonly includes: (threadId: ThreadId) => boolean
}

function restOf(dollars: number, each: number): number {
  if (dollars < 0) return -1
  return each <= 0 ? Number.POSITIVE_INFINITY : dollars / each
}

function changed(signal: AbortSignal, onChange: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    onChange(resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Characters for each token of the kinds of text that need the most tokens, such as code. */
const fewestCharacters = 3
const tokensOfImage = 1_600

/** Tokens of a request at most, as far as its length says. */
function inputOf({ system, tools, messages }: ModelRequest): number {
  const characters = [...tools, ...messages].reduce((sum, one) => sum + charactersOf(one), system.length)
  return Math.ceil(characters / fewestCharacters)
}

const counted = new WeakMap<object, number>()

/** Tools and messages do not change, so each is counted once. An image counts as the text of as many tokens. */
function charactersOf(one: object): number {
  const before = counted.get(one)
  if (before !== undefined) return before
  let images = 0
  const text = JSON.stringify(one, (_, value: unknown) => {
    const isImage = typeof value === 'object' && value !== null && 'mediaType' in value && 'data' in value
    if (isImage) images += 1
    return isImage ? null : value
  })
  const count = text.length + 1 + images * tokensOfImage * fewestCharacters
  counted.set(one, count)
  return count
}
