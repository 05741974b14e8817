import { execFile } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startModelServer } from '../../../e2e/model-server/model-server.ts'
import { coppice, root } from '../../../e2e/support/coppice.ts'
import { temporaryFolder } from '../support/folders.ts'
import { figuresOf, timed } from '../support/measure.ts'
import { memoryOf, serve } from '../support/served.ts'

const runs = 11
const execute = promisify(execFile)

export function measureVersion(): Promise<readonly number[]> {
  return figuresOf(() => timed(() => coppice(['--version'])), { runs })
}

/** The shortest time in which this machine starts and ends a Node process. */
export function measureEmptyNode(): Promise<readonly number[]> {
  return figuresOf(() => timed(() => execute(process.execPath, ['-e', '0'])), { runs })
}

/**
 * Milliseconds from the start of the process until the first request reaches the model. Each run is the first one of
 * a new project.
 */
export async function measureFirstRequest(): Promise<readonly number[]> {
  let askedAt = Number.NaN
  await using server = await startModelServer(() => {
    askedAt = performance.now()
    return { text: 'Done.' }
  })
  return await figuresOf(
    async () => {
      using folder = temporaryFolder()
      const project = makeProject(folder.path)
      const started = performance.now()
      const environment = { ANTHROPIC_API_KEY: 'sk-bench', ANTHROPIC_BASE_URL: server.url }
      const { code, stderr } = await coppice(
        ['run', project, '--task', 'Say hello', '--data-dir', join(folder.path, 'data')],
        environment,
      )
      if (code !== 0) throw new Error(`coppice run ended with ${code}: ${stderr}`)
      return askedAt - started
    },
    { runs },
  )
}

/** Megabytes that the host of an unused project holds two seconds after its start. */
export function measureIdleMemory(): Promise<readonly number[]> {
  return figuresOf(
    async () => {
      using folder = temporaryFolder()
      await using served = await serve(join(folder.path, 'data'), makeProject(folder.path))
      await delay(2_000)
      return memoryOf(served.pid).nowMb
    },
    { runs: 5 },
  )
}

/** A copy of the small project of the end-to-end specs. */
export function makeProject(folder: string): string {
  const project = join(folder, 'ledger')
  cpSync(join(root, 'e2e/fixtures/ledger'), project, { recursive: true })
  return project
}
