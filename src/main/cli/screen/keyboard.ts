import { createInterface } from 'node:readline/promises'
import type { Terminal } from './terminal.ts'

/** The keys of a person at a terminal, one by one. While nobody reads, keys are dropped and not shown. */
export interface Keyboard extends Disposable {
  /** The next key that is pressed from now on. What was typed before is dropped. Rejects when `signal` aborts. */
  press(signal: AbortSignal): Promise<string>
  /** A line that a person types behind `prompt`. Null when they give up with Ctrl+D. Rejects when `signal` aborts. */
  line(prompt: string, signal: AbortSignal): Promise<string | null>
  /** Leaves the terminal to another program until it has ended. */
  lend<Result>(program: () => Promise<Result>): Promise<Result>
}

/** What Ctrl+C and Ctrl+Z send in raw mode. */
const [interruptKey, suspendKey] = ['\u0003', '\u001a'] as const

/**
 * Takes the keys of a terminal. Signals of the keyboard still work. Throws when the terminal cannot be read key by key.
 * A terminal that goes away counts as a hang-up. `onSuspend` is called before Ctrl+Z stops the process, `onContinue` when it goes on.
 */
export function createKeyboard(
  {
    input,
    errors: output,
    stop,
    hangUp,
    suspend: stepBack,
  }: Pick<Terminal, 'input' | 'errors' | 'stop' | 'hangUp' | 'suspend'>,
  { onSuspend, onContinue }: { readonly onSuspend: () => void; readonly onContinue: () => void },
): Keyboard {
  let waiting: ((key: string) => void) | null = null
  const onData = (bytes: Buffer): void => {
    const text = bytes.toString('utf8')
    // A slow connection sends several keys together, so a key that stops may stand anywhere.
    if (text.includes(interruptKey)) stop()
    else if (text.includes(suspendKey)) suspend()
    else waiting?.(text)
  }
  const suspend = (): void => {
    if (process.platform === 'win32') return
    onSuspend()
    release()
    stepBack(() => {
      hold()
      onContinue()
    })
  }
  const hold = (): void => {
    input.setRawMode?.(true)
    input.on('data', onData)
    input.resume()
  }
  const release = (): void => {
    input.off('data', onData)
    input.setRawMode?.(false)
    input.pause()
  }
  let isGone = false
  const onGone = (): void => {
    if (!isGone) hangUp()
    isGone = true
  }
  const forget = (): void => {
    input.off('end', onGone)
    input.off('error', onGone)
  }
  input.on('end', onGone)
  input.on('error', onGone)
  hold()
  return {
    press(signal) {
      return new Promise((resolve, reject) => {
        const stop = (): void => {
          waiting = null
          reject(signal.reason)
        }
        if (signal.aborted) return stop()
        signal.addEventListener('abort', stop, { once: true })
        waiting = (key) => {
          waiting = null
          signal.removeEventListener('abort', stop)
          resolve(key)
        }
      })
    },
    async line(prompt, signal) {
      release()
      const reader = createInterface({ input, output, terminal: true })
      reader.on('SIGINT', stop)
      try {
        const ended = new Promise<null>((resolve) => reader.once('close', () => resolve(null)))
        return await Promise.race([reader.question(prompt, { signal }), ended])
      } finally {
        reader.close()
        hold()
      }
    },
    async lend(program) {
      release()
      try {
        return await program()
      } finally {
        hold()
      }
    },
    [Symbol.dispose]() {
      release()
      forget()
    },
  }
}
