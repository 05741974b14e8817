import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts', 'e2e/model-server/**/*.test.ts'],
    execArgv: ['--no-node-snapshot'],
    maxWorkers: 2,
  },
})
