import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { scopeOf } from '#core/ports/search.contract.ts'
import type { GrepQuery } from '#core/ports/search.ts'
import { createRipgrepSearch } from '../ripgrep-search.ts'
import { createSearchIndex, type SearchIndex } from './search-index.ts'

/** One bundled file, as in the built app. It starts much faster than the sources. */
export const workerPath = join(String(process.env.COPPICE_TEST_CHILDREN), 'index-worker.mjs')

/** A project folder with a place for its index. Disposing it removes both. */
export interface IndexWorld extends Disposable {
  readonly root: string
  /** The folder of the index. */
  readonly kept: string
  write(path: string, text: string | Uint8Array): void
}

export function makeWorld(files: Readonly<Record<string, string | Uint8Array>> = {}): IndexWorld {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-index-')))
  const root = join(folder, 'root')
  mkdirSync(root)
  const world: IndexWorld = {
    root,
    kept: join(folder, 'index'),
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
  for (const [path, text] of Object.entries(files)) world.write(path, text)
  return world
}

/** One run of the app, as far as searches go. */
export interface IndexRun extends AsyncDisposable {
  readonly index: SearchIndex
  /** The paths that hold the text, by a search with the index. */
  grep(pattern: string, query?: Partial<GrepQuery>): Promise<readonly string[]>
  /** The best paths for a text, by a search with the index. */
  find(text: string): Promise<readonly string[]>
}

export function openRun({ root, kept }: Pick<IndexWorld, 'root' | 'kept'>, settlingMs = 0): IndexRun {
  const index = createSearchIndex({ folder: kept, rootFolder: root, hidden: null, workerPath, restMs: 20, settlingMs })
  const search = createRipgrepSearch({ rootFolder: root, temporaryFolder: `${kept}-temporary`, index })
  const plain = { context: 0, caseInsensitive: false, literal: true, multiline: false }
  return {
    index,
    async grep(pattern, query = {}) {
      const whole = { ...plain, pattern, ...query }
      const { files } = await search.grep(whole, scopeOf({}), new AbortController().signal)
      return files.map(({ path }) => path)
    },
    find: (text) => search.find(text, 5, scopeOf({}), new AbortController().signal),
    async [Symbol.asyncDispose]() {
      search[Symbol.dispose]()
      await index[Symbol.asyncDispose]()
    },
  }
}

/** Resolves when the index is complete, refuses, or cannot run. */
export async function untilReady(index: SearchIndex): Promise<void> {
  for (;;) {
    const state = await index.state()
    if (state === null || state.ready || state.refused !== null) return
    await setTimeout(5)
  }
}
