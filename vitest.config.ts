import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts', 'e2e/scenarios/**/*.test.ts'],
    execArgv: ['--no-node-snapshot'],
    maxWorkers: 2,
  },
})
