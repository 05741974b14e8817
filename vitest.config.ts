import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts', 'e2e/scenarios/**/*.test.ts'],
    execArgv: ['--no-node-snapshot'],
    maxWorkers: 2,
    // A soak runs for hours; every other test has the usual limit.
    ...(process.env.COPPICE_SOAK === '1' && { testTimeout: 12 * 60 * 60 * 1000 }),
  },
})
