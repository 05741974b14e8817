import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { homeFolder, makeHome, removeFolder, temporaryFolder } from './test-folders.ts'

/**
 * Prepares what the tests of a run share: folders to work in, and the programs that they start as separate processes.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

/** Source files by the name of their program. A test finds the programs below the folder in `COPPICE_TEST_CHILDREN`. */
const children = {
  'runner-child': 'src/main/adapters/runner/child.ts',
  'killed-apply': 'src/main/adapters/disk/killed-apply.testkit.ts',
  'faulty-steps': 'src/main/adapters/sqlite/faulty-steps.testkit.ts',
  'kill-process': 'integration/kill-process.testkit.ts',
  'batch-process': 'integration/batch-process.testkit.ts',
  'external-process': 'integration/external-process.testkit.ts',
  'killed-app': 'src/main/host/testing/killed-app.testkit.ts',
  'killed-applies': 'src/main/host/changes/killed-applies.testkit.ts',
  'killed-checkout': 'src/main/host/checkouts/killed-checkout.testkit.ts',
  'killed-delivery': 'src/main/host/delivery/killed-delivery.testkit.ts',
  'killed-queue': 'src/main/host/testing/killed-queue.testkit.ts',
  'killed-terminal': 'src/main/host/testing/killed-terminal.testkit.ts',
  'index-worker': 'src/main/adapters/search/index/worker.ts',
  'text-worker': 'src/main/adapters/text/worker.ts',
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
    for (const made of [...(given === undefined ? [folder] : []), ...(temporary === tmpdir() ? [] : [temporary])])
      removeFolder(made)
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
