import { join } from 'node:path'
import { createHost, type Host } from '../../../src/main/host/wiring/create-host.ts'

const source = join(import.meta.dirname, '../../../src/main')

/** Opens the host inside this process, with its own data folder. */
export function openLocalHost(dataFolder: string): Promise<Host> {
  return createHost({
    frontend: 'cli',
    version: 'bench',
    dataFolder,
    settingsFile: null,
    environment: {},
    nodePath: process.execPath,
    runnerChildPath: join(source, 'adapters/runner/child.ts'),
    indexWorkerPath: join(source, 'adapters/search/index/worker.ts'),
    textWorkerPath: join(source, 'adapters/text/worker.ts'),
    pdfWorkerPath: join(source, 'adapters/pdf/worker.ts'),
    pageWorkerPath: join(source, 'adapters/web/page-worker.ts'),
    demoFolder: join(source, '../../resources/demo/tally'),
    initialFolder: null,
    secrets: { storage: 'none', read: async () => null, write: async () => {}, clear: async () => {} },
    holder: 'a benchmark',
    overrides: { maxIterations: 10_000 },
    log: (problem, error) => process.stderr.write(`${problem}: ${String(error)}\n`),
  })
}
