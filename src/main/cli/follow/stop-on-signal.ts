import { exitCodes } from '../exit-codes.ts'
import { terminal } from '../screen/terminal.ts'

/** Whether a signal asked the run to stop. */
export interface Stopping extends Disposable {
  readonly isStopped: () => boolean
}

/** The first Ctrl+C stops the agents, and the report is still written. The second ends the process. */
export function stopOnSignal(stop: () => void): Stopping {
  let asked = false
  const { onStop, leave } = terminal()
  const listening = onStop(() => {
    if (asked) return leave(exitCodes.stopped)
    asked = true
    stop()
  })
  return { isStopped: () => asked, [Symbol.dispose]: () => listening[Symbol.dispose]() }
}
