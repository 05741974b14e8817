import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { environment, node, root } from './coppice.ts'

/** Starts `coppice` with a test's arguments, in a process that was made ready before the test asked. */
export interface WarmHosts extends Disposable {
  start(args: readonly string[], env: Readonly<Record<string, string>>): Promise<ChildProcess>
}

interface Spare {
  readonly child: ChildProcess
  readonly ready: Promise<void>
}

/** Keeps one spare process while a test runs. A process serves one start and is never used again. */
export function createWarmHosts(): WarmHosts {
  let spare: Spare | undefined = startSpare()
  let closed = false
  return {
    async start(args, env) {
      const { child, ready } = spare ?? startSpare()
      spare = undefined
      await ready
      child.send({ args, env: environment(env), cwd: root })
      if (!closed) spare = startSpare()
      return child
    },
    [Symbol.dispose]() {
      closed = true
      spare?.child.kill('SIGKILL')
    },
  }
}

/** The app to load, besides a clean environment. The test's own environment replaces it. */
function warmEnvironment(): NodeJS.ProcessEnv {
  const { COPPICE_APP_ROOT } = process.env
  return environment(COPPICE_APP_ROOT === undefined ? {} : { COPPICE_APP_ROOT })
}

function startSpare(): Spare {
  const script = join(root, 'e2e/support/warm.mjs')
  const child = spawn(node, [script], { cwd: root, env: warmEnvironment(), stdio: ['pipe', 'pipe', 'pipe', 'ipc'] })
  const ready = new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', (code) => reject(new Error(`A warm host ended with ${code} before it was used.`)))
  })
  // Nobody handles the failure of a spare that no test takes.
  ready.catch(() => undefined)
  return { child, ready }
}
