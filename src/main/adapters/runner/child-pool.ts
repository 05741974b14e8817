import { type ChildPaths, type RunnerChild, startChild } from './child-process.ts'

/** Milliseconds that the spare child waits before its memory is given back. */
const idleMs = 60_000

interface Spare extends RunnerChild {
  readonly timer: NodeJS.Timeout
}

export interface ChildPool extends Disposable {
  /** A child for one run; whoever takes it kills it. */
  take(memoryMb: number): RunnerChild
  /** Called when a run has ended: another one is likely to come and finds a child ready. */
  refill(memoryMb: number): void
}

/** Keeps at most one spare child for JavaScript, if it was used lately. */
export function createChildPool(paths: ChildPaths): ChildPool {
  let spare: Spare | undefined
  let closed = false
  const forget = (child: RunnerChild) => {
    if (spare?.process === child.process) spare = undefined
    child.process.kill('SIGKILL')
  }
  return {
    take(memoryMb) {
      if (!spare) return startChild(paths, 'javascript', memoryMb)
      const child = spare
      spare = undefined
      clearTimeout(child.timer)
      hold(child, 'ref')
      return child
    },
    refill(memoryMb) {
      if (closed || spare) return
      const child = startChild(paths, 'javascript', memoryMb)
      hold(child, 'unref')
      child.process.once('exit', () => forget(child))
      spare = { ...child, timer: setTimeout(() => forget(child), idleMs).unref() }
    },
    [Symbol.dispose]() {
      closed = true
      if (!spare) return
      clearTimeout(spare.timer)
      forget(spare)
    },
  }
}

/** A spare must not keep the application from ending. */
function hold({ process: child }: RunnerChild, act: 'ref' | 'unref'): void {
  child[act]()
  child.channel?.[act]()
}
