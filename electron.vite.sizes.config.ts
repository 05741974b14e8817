import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'

/**
 * Optional packages that stay outside the build, as all `dependencies` do: what has native parts, or too many files of
 * its own. Everything else is bundled. One file instead of hundreds of small modules makes the start a third shorter.
 */
const optional = ['isolated-vm', '@pydantic/monty', 'node-pty']

/** What a package tries to load and does without: faster parts of WebSocket, and drawing of PDF pages. */
const unbundled = ['bufferutil', 'utf-8-validate', '@napi-rs/canvas']

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
const sizes={name:'sizes',generateBundle(_:any,b:any){for(const c of Object.values(b) as any[]){if(c.type!=='chunk')continue;const m:any={};for(const[id,x] of Object.entries(c.modules) as any){const k=(/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)??[,'own'])[1]!;m[k]=(m[k]??0)+x.renderedLength}
const top=Object.entries(m).sort((a:any,b:any)=>b[1]-a[1]).slice(0,25);if(c.code.length>100000)console.log(c.fileName,c.code.length,JSON.stringify(top))}}}
export default defineConfig({
  main: {
    plugins:[sizes],
    // The host reads PDF files with the same library as the window. Its minified form is half as large.
    resolve: {
      alias: [{ find: /^(pdfjs-dist\/legacy\/build\/pdf(?:\.worker)?)\.mjs$/, replacement: '$1.min.mjs' }],
    },
    build: {
      outDir: 'out/main',
      externalizeDeps: { include: [...optional, ...unbundled] },
      rollupOptions: {
        input: {
          desktop: 'src/main/desktop/index.ts',
          cli: 'src/main/cli/index.ts',
          'runner-child': 'src/main/adapters/runner/child.ts',
          'text-worker': 'src/main/adapters/text/worker.ts',
          'pdf-worker': 'src/main/adapters/pdf/worker.ts',
        },
        // Without white space and dead code, but with every name: a stack trace in a report stays readable.
        output: { format: 'es', minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } } },
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
