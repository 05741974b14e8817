import { watchFolder } from '#adapters/watch/folder-watcher.ts'
import type { WatchMode } from '#adapters/watch/watch-mode.ts'
import { patchesOf } from '#core/branches/branch-trees.ts'
import type { LiveCheckout } from '#core/checkouts/checkout.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { isLive } from '#shared/model/event.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { EventHub } from '../events/event-hub.ts'

/** Milliseconds without a change after which a save counts as finished, and the longest wait for that. */
const [quietMs, longestMs] = [60, 500]

export interface FollowOptions {
  readonly checkout: LiveCheckout
  readonly branchId: BranchId
  readonly folder: string
  readonly mode: WatchMode
  readonly events: Pick<EventHub, 'listen'>
  readonly report: (problem: string, error: unknown) => void
}

/** Keeps a folder and its branch equal while it is open. */
export interface Following extends AsyncDisposable {
  /** Files that both sides changed at the same place. */
  conflicts(): readonly VirtualPath[]
  /** Resolves when what was saved until now is in the branch, and what is in the branch until now is in the folder. */
  settle(): Promise<void>
}

export async function followBranch(options: FollowOptions): Promise<Following> {
  const { checkout, branchId, folder, mode, events, report } = options
  const hints = new Set<VirtualPath>()
  /** The next look is at everything, since a hint may come late. */
  let isWhole = false
  let conflicts: readonly VirtualPath[] = []
  let timer: NodeJS.Timeout | undefined
  let waitingSince = 0

  async function both(): Promise<void> {
    const seen = isWhole ? null : new Set([...hints, ...conflicts])
    hints.clear()
    isWhole = false
    conflicts = (await checkout.takeBack({ hints: seen })).conflicts
    await checkout.refresh()
  }
  async function tryBoth(): Promise<void> {
    try {
      await both()
    } catch (error) {
      // What was seen this time is looked for again. A branch that was discarded may come back.
      isWhole = true
      if (!(error instanceof WireError)) report('A folder that is open in an editor could not follow its branch', error)
    }
  }
  const work = serially(tryBoth)

  function soon(): void {
    if (timer) clearTimeout(timer)
    else waitingSince = Date.now()
    timer = setTimeout(
      () => {
        timer = undefined
        void work()
      },
      Math.max(0, Math.min(quietMs, waitingSince + longestMs - Date.now())),
    )
  }
  const isLeftOut = await checkout.leavesOut()
  const watcher = await watchFolder({
    folder,
    mode,
    isLeftOut,
    onChange(path) {
      hints.add(path)
      soon()
    },
    onProblem: (error) => report('A folder that is open in an editor could not be watched', error),
  })
  const listening = events.listen((event) => {
    if (!isLive(event) && patchesOf(event).some((one) => one.branchId === branchId)) soon()
  })
  return {
    conflicts: () => conflicts,
    settle() {
      isWhole = true
      return work()
    },
    async [Symbol.asyncDispose]() {
      listening[Symbol.dispose]()
      await watcher[Symbol.asyncDispose]()
      clearTimeout(timer)
      isWhole = true
      await work()
    },
  }
}

/** Calls run one after the other. A call that waits stands for those that come meanwhile. */
function serially(act: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve()
  let next: Promise<void> | null = null
  return () => {
    next ??= last.then(() => {
      next = null
      last = act()
      return last
    })
    return next
  }
}
