import { availableParallelism } from 'node:os'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { launchOptions } from './scripts/browser-options.ts'
import { homeFolder, temporaryFolder } from './scripts/test-folders.ts'
import { longestFirst, together } from './scripts/test-times.ts'

/** Starts the longest file of each project first, so that the run does not wait for it at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = longestFirst(files, (file) => file.moduleId)
    return together(sorted, (file) => file.project.name)
  }
}

/**
 * Files that start programs by the dozen. Starting one copies the memory tables of its parent: 13 ms of processor for 400 MB
 * in a virtual machine, and half a millisecond for 50 MB. So these files run in processes that load nothing for others and
 * stay small.
 */
const startManyProcesses = [
  'scripts/{bench-arguments,check-structure,check-waits}.test.ts',
  'scripts/{fuzz,package,soak}/*.test.ts',
  'src/main/adapters/disk/{faulty-apply,killed-apply,overlay-fuzz,swap-race}.test.ts',
  'src/main/adapters/git/*.test.ts',
  'src/main/adapters/mcp/mcp-connector.test.ts',
  'src/main/adapters/mounts/*.test.ts',
  'src/main/adapters/mounts/git/*.test.ts',
  'src/main/adapters/mounts/owners/*.test.ts',
  'src/main/adapters/mounts/places/*.test.ts',
  'src/main/adapters/mounts/layers/{damaged-layers,layer-kinds,left-files,made-again,odd-names,open-layers,person-beside,shorten-stack,shown-times}.test.ts',
  'src/main/adapters/runner/*.test.ts',
  'src/main/adapters/search/{content-scan,ripgrep-process,ripgrep-search}.test.ts',
  'src/main/adapters/search/index/{index-changes,indexed-search,kept-index,search-index,tree-watch}.test.ts',
  'src/main/adapters/shell/{declarations,shell,terminal,tool-chains}.test.ts',
  'src/main/adapters/shell/{processes/branch-network,seatbelt/open-seatbelt,wsl/open-wsl}.test.ts',
  'src/main/adapters/sqlite/faulty-disk.test.ts',
  'src/main/adapters/system/{ends-with-app,made-folders,namespaces}.test.ts',
  'src/main/adapters/text/git-agreement.test.ts',
  'packages/overlay/src/git-patch/round-trip.test.ts',
  'src/main/host/changes/{killed-applies,stored-patch}.test.ts',
  'src/main/host/checkouts/killed-checkout.test.ts',
  'src/main/host/delivery/{hooks,killed-delivery}.test.ts',
  'src/main/host/testing/{background-commands,commands,command-caches,command-limits,command-network,command-registries,command-renames,command-tools,command-user,killed-app,killed-queue,killed-terminal,lesser-sandboxes}.test.ts',
]

/** Tests of components of the window, which run in a browser. */
const componentTests = 'src/renderer/**/*.browser.test.tsx'

/** Tests that start programs, or a browser, wait for them, so there is one worker more than processors. */
const workers = Math.min(availableParallelism() + 1, 4)

const shared = {
  pool: 'forks' as const,
  // Node reads TypeScript itself. Sources that pass through Vite wait for its one process: a fifth of the whole run.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  env: { TMPDIR: temporaryFolder(), HOME: homeFolder() },
  execArgv: ['--no-node-snapshot'],
  globalSetup: ['scripts/test-setup.ts'],
  setupFiles: ['scripts/test-seed.ts'],
  // Tests do not depend on this limit. It only ends a test that hangs, even on a busy machine; a soak runs for hours.
  testTimeout: process.env.COPPICE_SOAK === '1' ? 12 * 60 * 60 * 1000 : 60_000,
  // Files of a process share its globals: what one test watches is the real thing again for the next.
  restoreMocks: true,
  // As `eventually`: a state is waited for as long as the test may run. The default is a second.
  expect: { poll: { timeout: 50_000 } },
}

export default defineConfig({
  test: {
    maxWorkers: workers,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          isolate: false,
          include: ['{src,scripts,packages}/**/*.test.{ts,tsx}'],
          exclude: [...startManyProcesses, componentTests],
        },
      },
      { test: { ...shared, name: 'processes', isolate: false, include: startManyProcesses } },
      { test: { ...shared, name: 'integration', isolate: false, include: ['integration/**/*.test.ts'] } },
      {
        plugins: [react(), tailwindcss()],
        // Packages found before the run. With packages of an earlier run, a new import would reload the page in a test.
        optimizeDeps: { force: true },
        test: {
          name: 'browser',
          // The files of a page share a document, which each test begins empty: packages are loaded once for all of them.
          isolate: false,
          // Pages of the browser. A project in a browser does not take the number of the whole run, and would have one.
          maxWorkers: workers,
          include: [componentTests],
          setupFiles: ['src/renderer/app/every-component.testkit.ts'],
          testTimeout: shared.testTimeout,
          restoreMocks: shared.restoreMocks,
          // As in the end-to-end tests: a page of a busy machine may need long to start a thread.
          expect: { poll: { timeout: 30_000 } },
          browser: {
            enabled: true,
            headless: true,
            provider: playwright({ launchOptions, actionTimeout: 30_000 }),
            instances: [{ browser: 'chromium' }],
            viewport: { width: 1200, height: 800 },
            screenshotFailures: false,
          },
        },
      },
    ],
  },
})
