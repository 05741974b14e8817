import { defineConfig } from 'vitest/config'

/** Node reads TypeScript itself, so nothing is built for the tests. */
export default defineConfig({
  test: { pool: 'forks', experimental: { viteModuleRunner: false, nodeLoader: false }, testTimeout: 60_000 },
})
