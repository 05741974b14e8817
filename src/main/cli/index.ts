import { keepHeapSmall } from '#host/app/heap.ts'
import { exitCodes } from './exit-codes.ts'
import { printStatus } from './print-status.ts'
import { runLine } from './run-line.ts'
import { atTerminal, ownTerminal } from './screen/terminal.ts'

keepHeapSmall()
let unwritable = false

/**
 * Stops a run like Ctrl+C when its output cannot be written, so that its end is stored. The reader went away, or the
 * disk is full.
 */
function whenUnwritable(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') {
    if (!unwritable) printStatus(`coppice: Standard output cannot be written: ${error.message}`)
    unwritable = true
  }
  process.emit('SIGTERM')
}

process.stdout.on('error', whenUnwritable)
// A terminal that was closed takes no words any more, and the end of the run must still be stored.
process.stderr.on('error', () => undefined)
const code = await atTerminal(ownTerminal(runLine), () => runLine(process.argv.slice(2)))
process.exitCode = unwritable && code === exitCodes.done ? exitCodes.failed : code
