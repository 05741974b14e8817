import { exitCodes } from '../exit-codes.ts'

/** Whether a signal asked the run to stop. */
export interface Stopping extends Disposable {
  readonly isStopped: () => boolean
}

/** The first Ctrl+C stops the agents, and the report is still written. The second ends the process. */
export function stopOnSignal(stop: () => void): Stopping {
  let asked = false
  const onSignal = () => {
    if (asked) process.exit(exitCodes.stopped)
    asked = true
    stop()
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, onSignal)
  return {
    isStopped: () => asked,
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, onSignal)
    },
  }
}
