import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'

/**
 * Packages of hundreds of small modules. Bundled into one file, they make the start a third shorter and need less
 * memory.
 */
const bundled = ['@anthropic-ai/sdk', '@hono/node-server', '@orpc/contract', '@orpc/server', 'hono', 'zod']

/**
 * The Markdown component brings a parser of HTML, 40 KB compressed, for a plugin that the window leaves out. An empty
 * plugin takes its place.
 */
const withoutHtmlParser = {
  name: 'without-html-parser',
  enforce: 'pre' as const,
  resolveId: (id: string) => (id === 'rehype-raw' ? '\0no-html' : undefined),
  load: (id: string) => (id === '\0no-html' ? 'export default function leaveHtml() {}' : undefined),
}

/**
 * One command builds three targets. The preload is CommonJS because a sandboxed window loads nothing else. The runner
 * child and the workers are separate entries because they run in processes and threads of their own.
 */
export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      externalizeDeps: { exclude: bundled },
      rollupOptions: {
        input: {
          desktop: 'src/main/desktop/index.ts',
          cli: 'src/main/cli/index.ts',
          'runner-child': 'src/main/adapters/runner/child.ts',
          'text-worker': 'src/main/adapters/text/worker.ts',
          'pdf-worker': 'src/main/adapters/pdf/worker.ts',
        },
        output: { format: 'es' },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      rollupOptions: {
        input: { index: 'src/preload/index.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [react(), tailwindcss(), withoutHtmlParser],
    build: {
      outDir: 'out/renderer',
      minify: true,
      // scripts/check-size.mjs limits the first load. Chunks that are loaded later may have any size.
      chunkSizeWarningLimit: 2_000,
      rollupOptions: { input: 'src/renderer/index.html' },
    },
  },
})
