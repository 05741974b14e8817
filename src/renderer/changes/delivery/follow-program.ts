import type { ProgramEvent } from '#shared/contract/views/deliveries.ts'

/** Characters of an output that are shown. */
const mostShown = 100_000

interface Following {
  /** Gets the whole output so far, or the end of a long one. */
  readonly show: (output: string) => void
  /** Closes the stream, which ends the program. */
  readonly signal: AbortSignal
}

/** Shows what a program prints as it comes. Resolves with its end. Rejects with the abort reason as soon as it is stopped. */
export async function followProgram<End>(
  opening: Promise<AsyncIterator<ProgramEvent<End>>>,
  { show, signal }: Following,
): Promise<End> {
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  // Nobody waits for it after the end of the program.
  stopped.catch(() => undefined)
  const events = await Promise.race([opening, stopped])
  let output = ''
  try {
    while (true) {
      const { done, value } = await Promise.race([events.next(), stopped])
      if (done) throw new Error('The app ended meanwhile. Try again.')
      if (value.kind === 'ended') return value.end
      output = (output + value.text).slice(-mostShown)
      show(output)
    }
  } finally {
    void events.return?.()
  }
}
