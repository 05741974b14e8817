import { availableParallelism } from 'node:os'
import { defineConfig } from '@playwright/test'

/** The same specs on both shells: in a browser over the web shell, and on Electron where its binary is. */
export default defineConfig({
  testDir: 'e2e/specs',
  outputDir: 'test-results/e2e',
  timeout: 90_000,
  expect: { timeout: 15_000 },
  // A test waits for processes and frames as long as it works: one worker more than there are processors.
  workers: Math.min(availableParallelism() + 1, 4),
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  retries: 0,
  reporter: [['list'], ['json']],
  use: {
    viewport: { width: 1440, height: 900 },
    launchOptions: {
      ...(process.env.COPPICE_BROWSER && { executablePath: process.env.COPPICE_BROWSER }),
      args: [
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
  projects: [
    { name: 'web', testMatch: '**/*.spec.ts' },
    { name: 'desktop', testMatch: '**/flow-*.spec.ts' },
  ],
})
