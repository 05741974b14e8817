/**
 * Counts the agents of one root thread that can go on by themselves. An agent that waits for a decision, or for
 * subagents, does not count, so zero means: done, or nobody but a person can move it.
 */
export interface Activity {
  enter(): void
  leave(): void
  /** Runs `wait` while `agent` waits for others; several waits of one agent count as one. */
  aside<Value>(agent: string, wait: () => Promise<Value>): Promise<Value>
  /** Resolves as soon as nobody can go on. */
  quiet(): Promise<void>
}

export function createActivity(): Activity {
  let busy = 0
  let waiters: (() => void)[] = []
  const waits = new Map<string, number>()
  const enter = () => {
    busy += 1
  }
  const leave = () => {
    busy -= 1
    if (busy > 0) return
    const woken = waiters
    waiters = []
    for (const wake of woken) wake()
  }
  const change = (agent: string, by: 1 | -1): number => {
    const depth = (waits.get(agent) ?? 0) + by
    if (depth === 0) waits.delete(agent)
    else waits.set(agent, depth)
    return depth
  }
  return {
    enter,
    leave,
    async aside(agent, wait) {
      if (change(agent, 1) === 1) leave()
      try {
        return await wait()
      } finally {
        if (change(agent, -1) === 0) enter()
      }
    },
    quiet: () => (busy === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve))),
  }
}
