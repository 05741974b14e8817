import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import type { IndexHtmlTransformContext } from 'vite'
import manifest from './package.json' with { type: 'json' }
import { listBundled } from './scripts/package/bundled-packages.ts'

/**
 * Optional packages that stay outside the build, as all `dependencies` do: what has native parts, or too many files of
 * its own. Everything else is bundled. One file instead of hundreds of small modules makes the start a third shorter.
 */
const optional = ['isolated-vm', '@pydantic/monty', 'node-pty']

/** What a package tries to load and does without: faster parts of WebSocket, and drawing of PDF pages. */
const unbundled = ['bufferutil', 'utf-8-validate', '@napi-rs/canvas']

/**
 * What the Markdown component brings and the window never uses, 70 KB compressed, and what takes its place: a parser of
 * HTML for a plugin that is left out; a second parser for a split into blocks that the window makes itself; a writer of
 * Markdown; and a judge of classes that contradict each other, of which the window gives none.
 */
const unused: Readonly<Record<string, string>> = {
  'rehype-raw': 'export default function leaveHtml() {}',
  marked: 'export const Lexer = undefined',
  'mdast-util-to-markdown': 'export const defaultHandlers = {}',
  'tailwind-merge': "export const twMerge = (...classes) => classes.filter(Boolean).join(' ')",
}
const withoutUnused = {
  name: 'without-unused',
  enforce: 'pre' as const,
  resolveId: (id: string) => (Object.hasOwn(unused, id) ? `\0unused:${id}` : undefined),
  load: (id: string) => (id.startsWith('\0unused:') ? unused[id.slice('\0unused:'.length)] : undefined),
}

/**
 * The host asks servers with OpenAI's format for replies and for the list of models. The library brings a class for each
 * other thing that OpenAI sells, and both libraries bring helpers that run tools. An empty class takes the place of each,
 * so that the npm package stays below 3 MB. The same goes for what administers an organization.
 */
const asked = /^\.\/(?:auth|core|internal|version|.*\b(?:chat\/(?:chat|index)|models|shared|index)\.mjs$)/
const askers =
  /\/node_modules\/(?:openai\/(?:client|resources\/index)|@anthropic-ai\/sdk\/resources\/organization\/organization)\.mjs$/
const helpers =
  /\/(?:ChatCompletion(?:Stream|Runner|StreamingRunner)|(?:Beta|Session)ToolRunner|BetaMessageThread|(?:Beta)?MessageStream)\.mjs$/
const withoutUnasked = {
  name: 'without-unasked',
  enforce: 'pre' as const,
  resolveId(id: string, importer = '') {
    const isUnasked = helpers.test(id) || (askers.test(importer) && id.startsWith('./') && !asked.test(id))
    return isUnasked ? `\0unasked:${join(dirname(importer), id)}` : undefined
  },
  load(id: string) {
    if (!id.startsWith('\0unasked:')) return undefined
    const names = readFileSync(id.slice('\0unasked:'.length), 'utf8').matchAll(
      /^export (?:class|const|var|let|function) (\w+)/gm,
    )
    return [...names].map(([, name]) => `export class ${name} {}`).join('\n')
  },
}

/**
 * The host and the window read PDF files with one worker of 1.3 MB, which the build of the window makes. Its name holds
 * the version of the library, because browsers keep it.
 */
const pdfWorker = `assets/pdf.worker-${manifest.devDependencies['pdfjs-dist']}.mjs`
const sharedPdfWorker = {
  name: 'shared-pdf-worker',
  enforce: 'pre' as const,
  resolveId: (id: string) =>
    id === 'pdfjs-dist/legacy/build/pdf.worker.mjs' ? { id: `../renderer/${pdfWorker}`, external: true } : undefined,
}
const nameAsset = ({ names }: { readonly names: readonly string[] }) =>
  names.includes('pdf.worker.min.mjs') ? pdfWorker : 'assets/[name]-[hash][extname]'

/**
 * What the page needs at first is two files, each with everything that it imports. Modules that later screens import
 * too would otherwise be dozens of small files.
 */
const firstLoad = [
  { name: 'main', test: /src\/renderer\/main\.ts$/, priority: 2 },
  { name: 'screens', test: /src\/renderer\/app\/show-app\.tsx$/, priority: 1 },
]

/**
 * The page names the screens beside its first script, which asks for them only when it runs. So the browser fetches and
 * reads them while that script connects to the host.
 */
const screensEarly = {
  name: 'screens-early',
  transformIndexHtml: {
    order: 'post' as const,
    handler: (_html: string, { bundle = {} }: IndexHtmlTransformContext) =>
      Object.values(bundle)
        .filter((file) => file.type === 'chunk' && file.name === 'screens')
        .map(({ fileName }) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `./${fileName}` },
          injectTo: 'head' as const,
        })),
  },
}

/**
 * Letters of ancient Greek and of Old Church Slavonic take 37 KB of the npm package. A font of the system draws them.
 * Stands after Tailwind, which puts the imported rules into one sheet.
 */
const withoutAncientLetters = {
  name: 'without-ancient-letters',
  enforce: 'pre' as const,
  transform: (code: string, id: string) =>
    id.endsWith('.css') ? code.replaceAll(/@font-face\s*\{[^}]*-(?:greek|cyrillic)-ext-[^}]*\}/g, '') : undefined,
}

/** The updater of the desktop app has a name of its own, by which the npm package leaves it out. */
function nameChunk({ moduleIds }: { readonly moduleIds: readonly string[] }): string {
  const isUpdater = moduleIds.some((id) => id.includes('/node_modules/electron-updater/'))
  return isUpdater ? 'chunks/electron-updater-[hash].js' : 'chunks/[name]-[hash].js'
}

/**
 * One command builds three targets. The preload is CommonJS because a sandboxed window loads nothing else. The runner
 * child and the workers are separate entries because they run in processes and threads of their own.
 */
export default defineConfig({
  main: {
    plugins: [withoutUnasked, sharedPdfWorker, listBundled('out/packages-main.json')],
    build: {
      outDir: 'out/main',
      externalizeDeps: { include: [...optional, ...unbundled] },
      rollupOptions: {
        input: {
          desktop: 'src/main/desktop/index.ts',
          cli: 'src/main/cli/index.ts',
          'runner-child': 'src/main/adapters/runner/child.ts',
          'index-worker': 'src/main/adapters/search/index/worker.ts',
          'text-worker': 'src/main/adapters/text/worker.ts',
          'pdf-worker': 'src/main/adapters/pdf/worker.ts',
          'page-worker': 'src/main/adapters/web/page-worker.ts',
        },
        // Without white space and dead code, but with every name: a stack trace in a report stays readable.
        output: {
          format: 'es',
          chunkFileNames: nameChunk,
          minify: { compress: true, mangle: true, codegen: { removeWhitespace: true } },
          keepNames: true,
        },
      },
    },
  },
  preload: {
    plugins: [listBundled('out/packages-preload.json')],
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
    plugins: [
      react(),
      tailwindcss(),
      withoutAncientLetters,
      withoutUnused,
      screensEarly,
      listBundled('out/packages-renderer.json'),
    ],
    build: {
      outDir: 'out/renderer',
      minify: true,
      // scripts/check-size.mjs limits the first load. Chunks that are loaded later may have any size.
      chunkSizeWarningLimit: 2_000,
      rollupOptions: {
        input: 'src/renderer/index.html',
        output: { assetFileNames: nameAsset, codeSplitting: { groups: firstLoad } },
      },
    },
  },
})
