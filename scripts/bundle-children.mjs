// Before the tests: what they start as processes of their own, as one file each. Node reads a bundle in a fraction of
// the time that it takes to strip the types of every source.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Entries by name; a test finds them below the folder that `COPPICE_TEST_CHILDREN` names. */
const entries = {
  'runner-child': 'src/main/adapters/runner/child.ts',
  'killed-apply': 'src/main/adapters/disk/killed-apply.testkit.ts',
  'kill-process': 'integration/kill-process.testkit.ts',
}
/** As in the build of the app: packages of hundreds of small modules are bundled, the others are loaded as they are. */
const bundled = ['@anthropic-ai/sdk', '@hono/node-server', '@orpc/contract', '@orpc/server', 'hono', 'zod']

export async function setup() {
  // Both projects of a run ask for it.
  if (process.env.COPPICE_TEST_CHILDREN) return
  // As deep as the sources that look for files beside the project's root.
  const folder = join(root, 'out/test-children', String(process.pid))
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
        input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(root, path)])),
        output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' },
      },
    },
  })
  process.env.COPPICE_TEST_CHILDREN = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
