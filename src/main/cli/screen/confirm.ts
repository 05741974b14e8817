import { createInterface } from 'node:readline/promises'
import { terminal } from './terminal.ts'

/** Asks at the terminal for a yes or a no. Null when there is nobody to ask. */
export async function confirm(question: string): Promise<'yes' | 'no' | 'stopped' | null> {
  const { input, errors: output } = terminal()
  if (!input.isTTY || !output.isTTY) return null
  const reader = createInterface({ input, output, terminal: true })
  try {
    const ended = new Promise<string>((resolve) => reader.once('close', () => resolve('')))
    const stopped = new Promise<null>((resolve) => reader.once('SIGINT', () => resolve(null)))
    const answer = await Promise.race([reader.question(question), stopped, ended])
    if (answer === null) return 'stopped'
    return /^y(es)?$/i.test(answer.trim()) ? 'yes' : 'no'
  } finally {
    reader.close()
  }
}
