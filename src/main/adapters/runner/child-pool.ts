import { type ChildPaths, type Language, type RunnerChild, startChild } from './child-process.ts'

/** Milliseconds that a spare child waits before its memory is given back. */
const idleMs = 60_000

interface Spare extends RunnerChild {
  readonly timer: NodeJS.Timeout
}

export interface ChildPool extends Disposable {
  /** A child for one run; whoever takes it kills it. */
  take(language: Language): RunnerChild
  /** Called when a run has ended: the next one of the language is likely to come and finds a child ready. */
  refill(language: Language): void
}

/** Keeps at most one spare child of each language that was used lately. */
export function createChildPool(paths: ChildPaths): ChildPool {
  const spares = new Map<Language, Spare>()
  let closed = false
  const drop = (language: Language, spare: RunnerChild) => {
    if (spares.get(language) === spare) spares.delete(language)
    spare.process.kill('SIGKILL')
  }
  return {
    take(language) {
      const spare = spares.get(language)
      if (!spare) return startChild(paths, language)
      spares.delete(language)
      clearTimeout(spare.timer)
      hold(spare, 'ref')
      return spare
    },
    refill(language) {
      if (closed || spares.has(language)) return
      const child = startChild(paths, language)
      const spare: Spare = { ...child, timer: setTimeout(() => drop(language, spare), idleMs).unref() }
      hold(spare, 'unref')
      spares.set(language, spare)
      child.process.once('exit', () => drop(language, spare))
    },
    [Symbol.dispose]() {
      closed = true
      for (const [language, spare] of spares) {
        clearTimeout(spare.timer)
        drop(language, spare)
      }
    },
  }
}

/** A spare must not keep the application from ending. */
function hold({ process: child }: RunnerChild, act: 'ref' | 'unref'): void {
  child[act]()
  child.channel?.[act]()
}
