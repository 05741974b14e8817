import { randomUUID } from 'node:crypto'
import type { BranchView } from '#core/ports/branch-views.ts'
import type { Shell } from '#core/ports/shell.ts'
import { createBoundedOutput } from './bounded-output.ts'
import { createDeclarations } from './declarations.ts'
import { runCommand } from './run-command.ts'
import { spawnFunction } from './spawn-function.ts'

const outputLimit = 1024 * 1024
const passedOn = ['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'SystemRoot']

export function createShell(): Shell {
  return {
    async execute({ command, timeoutMs, view, declares, onOutput }, signal) {
      const started = performance.now()
      const output = createBoundedOutput(outputLimit, onOutput)
      const nonce = randomUUID()
      const declarations = createDeclarations(nonce)
      const onChunk = (stream: 'stdout' | 'stderr', chunk: Buffer) =>
        output.accept(stream, declarations.take(stream, chunk))
      const environment = { ...environmentOf(view), ...(declares && spawnFunction(nonce)) }
      const program = view.enter(['bash', '--noprofile', '--norc', '-c', command])
      const run = await runCommand({ program, timeoutMs, cwd: view.folder, environment, onChunk }, signal)
      for (const stream of ['stdout', 'stderr'] as const) output.accept(stream, declarations.rest(stream))
      const durationMs = Math.round(performance.now() - started)
      return { ...run, ...output.result(), declared: declarations.found, durationMs }
    },
    sandbox: () => ({
      state: 'off',
      reason:
        'Commands run in a copy of the project, but nothing keeps them from the rest of this machine or the network.',
    }),
  }
}

/** An allow-list: nothing of the app's own environment is passed on by accident. */
function environmentOf(view: BranchView): Record<string, string> {
  const kept = passedOn.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    LANG: 'C.UTF-8',
    ...Object.fromEntries(kept),
    HOME: view.home,
    TMPDIR: view.temporary,
    TERM: 'dumb',
  }
}
