import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts', 'integration/**/*.test.ts'],
    execArgv: ['--no-node-snapshot'],
    maxWorkers: 2,
    // No test is about this limit: it only ends what hangs, also on a machine that has other work. A soak runs for hours.
    testTimeout: process.env.COPPICE_SOAK === '1' ? 12 * 60 * 60 * 1000 : 60_000,
  },
})
