import type { BranchId } from '#shared/model/ids.ts'

/** Applies under way, so that a person can end one from any window. */
export interface RunningApplies {
  run<Result>(branchId: BranchId, apply: (signal: AbortSignal) => Promise<Result>): Promise<Result>
  /** Nothing where none is under way: the caller of `run` learns how it ended. */
  cancel(branchId: BranchId): void
}

export function createRunningApplies(): RunningApplies {
  const running = new Map<BranchId, Set<AbortController>>()
  return {
    async run(branchId, apply) {
      const controller = new AbortController()
      const others = running.get(branchId) ?? new Set()
      running.set(branchId, others.add(controller))
      try {
        return await apply(controller.signal)
      } finally {
        others.delete(controller)
        if (others.size === 0) running.delete(branchId)
      }
    },
    cancel(branchId) {
      for (const controller of running.get(branchId) ?? []) controller.abort()
    },
  }
}
