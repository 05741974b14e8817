import type { ProjectLog } from '#core/journal/project-log.ts'

const everyMs = 60_000
/** A page that shows a thread asks for it again within this time, or needs nothing of it. */
const idleMs = 10 * 60_000

/**
 * Lets go of threads that nobody has asked for in a while, and stores the small fold for the next opening. It does both
 * now and then, and stores the fold when the project closes. `report` hears what the disk refuses: nothing is lost then,
 * and the next opening only reads more.
 */
export function keepMemoryLow(
  log: Pick<ProjectLog, 'release' | 'keepFold'>,
  report: (problem: string, error: unknown) => void,
): Disposable {
  const keep = (every?: number): void => {
    try {
      log.keepFold(every)
    } catch (error) {
      report('The summary of the project could not be stored', error)
    }
  }
  // What a long opening found out is not lost when the app crashes.
  keep()
  const timer = setInterval(() => {
    log.release(Date.now() - idleMs)
    keep()
  }, everyMs)
  timer.unref()
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
      keep(1)
    },
  }
}
