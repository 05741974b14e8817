import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { longestFirst } from './scripts/test-times.ts'

/** Whoever starts with the longest file does not wait for it at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return longestFirst(files, (file) => file.moduleId)
  }
}

const shared = {
  /**
   * One process runs many files, so that the packages are loaded once. Files must not rely on a fresh process: what a
   * test changes of it, it puts back.
   */
  pool: 'forks' as const,
  isolate: false,
  execArgv: ['--no-node-snapshot'],
  globalSetup: ['scripts/bundle-children.mjs'],
  // No test is about this limit: it only ends what hangs, also on a machine that has other work. A soak runs for hours.
  testTimeout: process.env.COPPICE_SOAK === '1' ? 12 * 60 * 60 * 1000 : 60_000,
}

export default defineConfig({
  test: {
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...shared, name: 'unit', include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'] } },
      { test: { ...shared, name: 'integration', include: ['integration/**/*.test.ts'] } },
    ],
  },
})
