import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Bytes of the log before it begins anew. The one before is kept beside it. */
const largest = 1024 * 1024

/** Writes problems with their time to a file of the person, and to standard error. Never throws. */
export function createLog(file: string, now: () => Date = () => new Date()): (problem: string, error: unknown) => void {
  return (problem, error) => {
    const line = `${now().toISOString()} ${problem}: ${error instanceof Error ? error.stack : String(error)}\n`
    try {
      process.stderr.write(line)
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > largest) renameSync(file, `${file}.1`)
      appendFileSync(file, line, { mode: 0o600 })
    } catch {
      // A full disk must not turn a problem into the end of the app.
    }
  }
}
