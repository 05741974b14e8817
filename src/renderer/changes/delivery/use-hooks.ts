import { useEffect, useState } from 'react'
import type { HooksRun, ProgramEvent } from '#shared/contract/views/deliveries.ts'
import { type Command, useCommand } from '../../state/hooks/hooks.tsx'
import { followProgram } from './follow-program.ts'

/** The hooks of the repository before a delivery. */
export interface Hooks {
  /** Whether a person wants them to run. */
  readonly isOn: boolean
  setOn(isOn: boolean): void
  readonly running: Command
  /** What they print. Empty for nothing. */
  readonly output: string
  /** What they said. Null while they run, and before. */
  readonly run: HooksRun | null
  /** Ends them. Null while none runs. */
  readonly stop: (() => void) | null
  /** Runs them. Resolves with null when they did not come to an end. */
  start(): Promise<HooksRun | null>
  /** Call when the commits become others. */
  forget(): void
}

export function useHooks(open: (signal: AbortSignal) => Promise<AsyncIterator<ProgramEvent<HooksRun>>>): Hooks {
  const running = useCommand()
  const [isOn, setOn] = useState(false)
  const [output, setOutput] = useState('')
  const [run, setRun] = useState<HooksRun | null>(null)
  const [stopping, setStopping] = useState<AbortController | null>(null)
  // Nobody waits for them once the dialog is closed.
  useEffect(() => () => stopping?.abort(), [stopping])
  const forget = (): void => {
    running.clear()
    stopping?.abort()
    setRun(null)
    setOutput('')
  }
  return {
    ...{ isOn, running, output, run, forget },
    setOn(wanted) {
      setOn(wanted)
      forget()
    },
    stop: stopping && (() => stopping.abort()),
    async start() {
      const stop = new AbortController()
      forget()
      setStopping(stop)
      let ended: HooksRun | null = null
      await running.run(async () => {
        try {
          ended = await followProgram(open(stop.signal), { show: setOutput, signal: stop.signal })
          setRun(ended)
        } catch (error) {
          if (!stop.signal.aborted) throw error
        }
      })
      setStopping(null)
      return ended
    },
  }
}
