import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { temporaryFolder } from './scripts/test-setup.ts'
import { longestFirst } from './scripts/test-times.ts'

/** Whoever starts with the longest file does not wait for it at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return longestFirst(files, (file) => file.moduleId)
  }
}

/**
 * Files that start programs by the hundred. Starting one copies the tables of the memory of the process that starts it,
 * so these want a small process of their own; all others share theirs, which saves reading the packages for each.
 */
const startManyProcesses = [
  'scripts/**/*.test.ts',
  'src/main/adapters/{mcp,runner,search,shell,text,mounts}/**/*.test.ts',
  'src/main/adapters/disk/{killed-apply,overlay-fuzz,swap-race}.test.ts',
  'src/main/core/patch/round-trip.test.ts',
  'src/main/host/testing/commands.test.ts',
]

const shared = {
  pool: 'forks' as const,
  env: { TMPDIR: temporaryFolder() },
  execArgv: ['--no-node-snapshot'],
  globalSetup: ['scripts/test-setup.ts'],
  // No test is about this limit: it only ends what hangs, also on a machine that has other work. A soak runs for hours.
  testTimeout: process.env.COPPICE_SOAK === '1' ? 12 * 60 * 60 * 1000 : 60_000,
}

export default defineConfig({
  test: {
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          isolate: false,
          include: ['src/**/*.test.{ts,tsx}'],
          exclude: startManyProcesses,
        },
      },
      { test: { ...shared, name: 'processes', include: startManyProcesses } },
      { test: { ...shared, name: 'integration', isolate: false, include: ['integration/**/*.test.ts'] } },
    ],
  },
})
