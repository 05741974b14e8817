import { type CodeRunner, CodeRunnerError } from '#core/ports/code-runner.ts'
import { type ChildPaths, runChild } from './run-child.ts'
import { createSlots } from './slots.ts'

/** Each run takes a process and its memory; the others wait their turn. */
const runsAtOnce = 4

/** Runs JavaScript in isolates, each in a child process of its own. */
export function createCodeRunner(paths: ChildPaths): CodeRunner {
  const slots = createSlots(runsAtOnce)
  return {
    async run(request, signal) {
      if (request.language !== 'javascript') {
        throw new CodeRunnerError('unsupported_language', 'Python cannot be run here. Write it in JavaScript.')
      }
      using _slot = await slots.take(signal)
      return await runChild(paths, request, signal)
    },
  }
}
