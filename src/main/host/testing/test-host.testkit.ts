import { join } from 'node:path'
import { createFileSecrets } from '#adapters/secrets/file-secrets.ts'
import { noSandbox, type Sandbox } from '#adapters/shell/sandbox.ts'
import { createHost, type Host } from '../composition/create-host.ts'
import type { HostOptions } from '../composition/host-options.ts'

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
): Promise<Host> {
  return createHost({
    frontend: 'cli',
    version: '0',
    dataFolder,
    settingsFile: null,
    environment,
    nodePath: process.execPath,
    runnerChildPath: join(root, 'src/main/adapters/runner/child.ts'),
    textWorkerPath: join(root, 'src/main/adapters/text/worker.ts'),
    pdfWorkerPath: join(root, 'src/main/adapters/pdf/worker.ts'),
    demoFolder: join(root, 'resources/demo/tally'),
    initialFolder: null,
    secrets: createFileSecrets(join(dataFolder, 'key')),
    holder: 'a test',
    openSandbox,
    log,
  })
}

/** Gives the same result on every machine, with or without a sandbox. */
async function withoutSandbox(): Promise<Sandbox> {
  return noSandbox('A test runs without.')
}

function fail(problem: string, error: unknown): never {
  throw new Error(`${problem}: ${String(error)}`)
}
