import { join } from 'node:path'
import { createFileSecrets } from '#adapters/secrets/file-secrets.ts'
import { noSandbox, type Sandbox } from '#adapters/shell/sandbox.ts'
import type { HostOptions } from '../app/host-options.ts'
import { createHost, type Host } from '../wiring/create-host.ts'

const root = join(import.meta.dirname, '../../../..')

/**
 * A host over the sources, without keys unless the environment has one. A logged problem fails the test unless the test
 * expects it.
 */
export function openTestHost(
  dataFolder: string,
  log: HostOptions['log'] = fail,
  environment: HostOptions['environment'] = {},
  openSandbox: HostOptions['openSandbox'] = withoutSandbox,
  frontend: HostOptions['frontend'] = 'cli',
): Promise<Host> {
  return createHost({
    frontend,
    version: '0',
    dataFolder,
    settingsFile: null,
    environment,
    nodePath: process.execPath,
    runnerChildPath: bundleOr('runner-child', 'src/main/adapters/runner/child.ts'),
    indexWorkerPath: bundleOr('index-worker', 'src/main/adapters/search/index/worker.ts'),
    textWorkerPath: bundleOr('text-worker', 'src/main/adapters/text/worker.ts'),
    pdfWorkerPath: join(root, 'src/main/adapters/pdf/worker.ts'),
    pageWorkerPath: join(root, 'src/main/adapters/web/page-worker.ts'),
    demoFolder: join(root, 'resources/demo/tally'),
    initialFolder: null,
    secrets: createFileSecrets(join(dataFolder, 'key')),
    holder: 'a test',
    openSandbox,
    log,
  })
}

/** The bundle of a test run if there is one, as in the built app, because it starts with half the work. */
function bundleOr(name: string, source: string): string {
  const bundles = process.env.COPPICE_TEST_CHILDREN
  return join(bundles ?? root, bundles ? `${name}.mjs` : source)
}

/** Gives the same result on every machine, with or without a sandbox. */
async function withoutSandbox(): Promise<Sandbox> {
  return noSandbox('A test runs without.')
}

function fail(problem: string, error: unknown): never {
  throw new Error(`${problem}: ${String(error)}`)
}
