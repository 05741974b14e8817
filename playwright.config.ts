import { mkdtempSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from '@playwright/test'
import { launchOptions } from './scripts/browser-options.ts'
import { makeHome, removeFolder, temporaryFolder } from './scripts/test-folders.ts'

// The first process makes a folder for the run, and the workers inherit its name. Every start of the app looks through
// the temporary folder, and a shell reads the settings of its person, so the tests have both to themselves.
if (process.env.TEST_WORKER_INDEX === undefined) {
  const parent = temporaryFolder()
  const folder = parent === tmpdir() ? mkdtempSync(join(parent, 'e2e-of-coppice-')) : parent
  const home = join(folder, 'home')
  makeHome(home)
  process.on('exit', () => removeFolder(folder))
  Object.assign(process.env, { TMPDIR: folder, HOME: home })
}

/** The same specs for both frontends: the web frontend in a browser, and Electron if its binary is installed. */
export default defineConfig({
  testDir: 'e2e/specs',
  outputDir: 'test-results/e2e',
  // These limits only end a test that hangs, even on a busy machine.
  timeout: 240_000,
  expect: { timeout: 30_000 },
  // A test waits for processes and frames half of its time, so there are more workers than processors.
  workers: Math.min(availableParallelism() + 2, 4),
  fullyParallel: true,
  // Long walks of one kind through all screens: what each screen must hold, its component tests hold on every change.
  grepInvert: process.env.COPPICE_TEST_SIZE === 'full' ? [] : /@nightly/,
  forbidOnly: Boolean(process.env.CI),
  retries: 0,
  reporter: [['list'], ['json']],
  use: {
    viewport: { width: 1440, height: 900 },
    launchOptions,
  },
  projects: [
    { name: 'web', testMatch: '**/*.spec.ts', testIgnore: '**/desktop.spec.ts' },
    { name: 'desktop', testMatch: ['**/flow-*.spec.ts', '**/desktop.spec.ts'] },
  ],
})
