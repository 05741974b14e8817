import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

/**
 * Prepares what the tests of a run share: folders to work in, and the programs that they start as separate processes.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const memory = '/dev/shm'
const roomInMemory = 4 * 1024 ** 3

/** Source files by the name of their program. A test finds the programs below the folder in `COPPICE_TEST_CHILDREN`. */
const children = {
  'runner-child': 'src/main/adapters/runner/child.ts',
  'killed-apply': 'src/main/adapters/disk/killed-apply.testkit.ts',
  'faulty-steps': 'src/main/adapters/sqlite/faulty-steps.testkit.ts',
  'kill-process': 'integration/kill-process.testkit.ts',
}
/**
 * As in the build of the app, packages of hundreds of small modules are bundled, and the others are loaded as they
 * are.
 */
const bundled = [
  '@anthropic-ai/sdk',
  '@hono/node-server',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/core',
  '@orpc/contract',
  '@orpc/server',
  'hono',
  'zod',
]

/**
 * The parent of the tests' folders: in memory if the system has enough room there. A soak, and `COPPICE_TEST_DISK=1`,
 * keep them on the disk.
 */
export function temporaryFolder(): string {
  const { COPPICE_SOAK, COPPICE_TEST_DISK } = process.env
  if (COPPICE_SOAK === '1' || COPPICE_TEST_DISK === '1') return tmpdir()
  const isRoomy = process.platform === 'linux' && freeBytes(memory) >= roomInMemory
  return isRoomy ? join(memory, `coppice-tests-${process.pid}`) : tmpdir()
}

/**
 * A home of the tests' own. What stands in a person's start-up files must not decide a test, and no test may leave
 * anything there: a shell that is killed while `pyenv` starts leaves a lock that holds up every later one for a minute.
 */
export function homeFolder(): string {
  return join(temporaryFolder(), 'coppice-home')
}

/** The file keeps zsh from asking a new user questions. */
export function makeHome(folder: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, '.zshrc'), '')
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return 0
  }
}

/** Runs once before the files of each project. The returned function runs once after them. */
export async function setup(): Promise<() => void> {
  const temporary = temporaryFolder()
  makeHome(homeFolder())
  // The first project of a run makes them, or whoever started this run.
  const given = process.env.COPPICE_TEST_CHILDREN
  // As deep as the sources, because some of them look for files beside them.
  const folder = join(root, 'out/test-children', String(process.pid))
  if (given === undefined) {
    await bundleInto(folder)
    process.env.COPPICE_TEST_CHILDREN = folder
  }
  return () => {
    for (const made of [...(given === undefined ? [folder] : []), ...(temporary === tmpdir() ? [] : [temporary])]) {
      // A test that failed may have left closed folders, which only root can remove as they are.
      spawnSync('chmod', ['-R', 'u+rwX', made])
      rmSync(made, { recursive: true, force: true })
    }
  }
}

/** Bundles each child into one file. Node reads that much faster than it strips the types of every source. */
async function bundleInto(folder: string): Promise<void> {
  const input = Object.fromEntries(Object.entries(children).map(([name, path]) => [name, join(root, path)]))
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: bundled },
    build: {
      ssr: true,
      outDir: folder,
      target: 'node24',
      minify: false,
      rollupOptions: {
        input,
        output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' },
      },
    },
  })
}
