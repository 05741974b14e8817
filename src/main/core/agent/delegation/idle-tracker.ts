/**
 * Tracks which agents of one root thread can go on without a person. An agent that waits for a decision cannot. An
 * agent that waits for subagents can as soon as one of them can, or when all of them have ended. The family is quiet
 * when no agent can go on: it is done, or it needs a person.
 */
export interface IdleTracker {
  /** The agent's run has started. */
  enter(agent: string): void
  /** The agent's run has ended, for whatever reason. */
  leave(agent: string): void
  /** Marks the agent as waiting for a person until `wait` settles. Returns its value or throws its error. */
  whileDeciding<Value>(agent: string, wait: () => Promise<Value>): Promise<Value>
  /**
   * Marks the agent as waiting for `subagents` until `wait` settles: for all of them, or for the first that ends. Returns
   * its value or throws its error.
   */
  whileDelegating<Value>(
    agent: string,
    subagents: readonly string[],
    wait: () => Promise<Value>,
    until?: 'all' | 'any',
  ): Promise<Value>
  /** The agent has something else to do than to wait for subagents. */
  recall(agent: string): void
  /** Resolves when no agent of the family can go on without a person; at once if none can now. */
  whenIdle(): Promise<void>
}

export function createIdleTracker(isDecided: (agent: string) => boolean): IdleTracker {
  const running = new Set<string>()
  const deciding = new Set<string>()
  const delegated = new Map<string, readonly string[]>()
  /** Those that go on at the end of the first subagent. */
  const impatient = new Set<string>()
  let waiters: (() => void)[] = []

  const canGoOn = (agent: string): boolean => {
    if (deciding.has(agent)) return isDecided(agent)
    const all = delegated.get(agent) ?? []
    const subagents = all.filter((subagent) => running.has(subagent))
    if (subagents.length === 0 || (impatient.has(agent) && subagents.length < all.length)) return true
    return subagents.some(canGoOn)
  }
  const look = () => {
    if ([...running].some(canGoOn)) return
    const woken = waiters
    waiters = []
    for (const wake of woken) wake()
  }
  return {
    enter: (agent) => void running.add(agent),
    leave(agent) {
      running.delete(agent)
      look()
    },
    async whileDeciding(agent, wait) {
      deciding.add(agent)
      look()
      try {
        return await wait()
      } finally {
        deciding.delete(agent)
      }
    },
    recall(agent) {
      delegated.delete(agent)
      impatient.delete(agent)
    },
    async whileDelegating(agent, subagents, wait, until = 'all') {
      // Neighbouring calls delegate together. The agent continues when all of them have returned.
      delegated.set(agent, [...(delegated.get(agent) ?? []), ...subagents])
      if (until === 'any') impatient.add(agent)
      // Those that worked before may wait for a person already.
      look()
      try {
        return await wait()
      } finally {
        const left = delegated.get(agent)?.filter((subagent) => !subagents.includes(subagent)) ?? []
        impatient.delete(agent)
        if (left.length > 0) delegated.set(agent, left)
        else delegated.delete(agent)
        look()
      }
    },
    whenIdle: () =>
      new Promise((resolve) => {
        waiters.push(resolve)
        look()
      }),
  }
}
