import { execFileSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { FileTree } from '#core/ports/file-tree.ts'
import { openFileToolsOver } from '#core/tools/files/files-world.testkit.ts'
import { createMemoryBlobStore, createOverlayTree } from '#overlay'
import { testHashing } from '#overlay/testkit'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createRipgrepSearch } from '../search/ripgrep-search.ts'
import { createDiskBaseTree } from './disk-base-tree.ts'

/** One call and its expected answer: the whole text, or a pattern. */
export type Asked = readonly [tool: string, args: Record<string, unknown>, ok: boolean, text: string | RegExp]

export interface BadInput {
  readonly what: string
  /** Prepares the real folder. `outside` lies beside it and holds `canary`. */
  readonly make?: (root: string, outside: string) => void
  readonly asked: readonly Asked[]
}

export interface HostileProject extends AsyncDisposable {
  readonly root: string
  readonly outside: string
  readonly tools: Awaited<ReturnType<typeof openFileToolsOver>>
  /** The branch as it is now. */
  view(): FileTree
  ask(...asked: Asked): Promise<void>
}

export const canary = 'canary'

/** A real folder with `/kept` in it, behind the model's own tools, overlay and search. */
export async function openHostileProject(
  make: BadInput['make'],
  hidden: VirtualPath | null = null,
): Promise<HostileProject> {
  const above = mkdtempSync(join(tmpdir(), 'coppice-bad-'))
  const [root, outside] = [join(above, 'root'), join(above, 'outside')]
  for (const folder of [root, outside]) mkdirSync(folder)
  put(root, '/kept', 'kept\n')
  put(outside, '/secret', canary)
  make?.(root, outside)
  const base = createDiskBaseTree(root, hidden)
  const search = createRipgrepSearch({ rootFolder: root, temporaryFolder: join(above, 'temporary'), hidden })
  const sources = { base, blobs: createMemoryBlobStore(testHashing), hashing: testHashing }
  const tools = await openFileToolsOver(sources, search)
  return {
    root,
    outside,
    tools,
    view: () => createOverlayTree({ ...sources, tree: tools.tree }),
    async ask(tool, args, ok, text) {
      const before = tools.tree
      const answer = await tools.call(tool, args)
      const said = JSON.stringify([tool, args]).slice(0, 200)
      const answered = `${said}: ${answer.ok ? 'ok' : 'error'}: ${answer.text}`
      if (typeof text === 'string') expect(answered).toBe(`${said}: ${ok ? 'ok' : 'error'}: ${text}`)
      else expect(answered).toMatch(text)
      expect(answer.ok, said).toBe(ok)
      expect(answer.text, said).not.toContain(canary)
      if (!ok) expect(tools.tree, said).toBe(before)
    },
    async [Symbol.asyncDispose]() {
      search[Symbol.dispose]()
      // A test may have closed folders, which only root can remove as they are.
      execFileSync('chmod', ['-R', 'u+rwX', above])
      rmSync(above, { recursive: true, force: true })
    },
  }
}

/** Makes the calls of a row. Afterwards the folder and its neighbours are untouched, and `/kept` can still be read. */
export async function checkBadInput({ make, asked }: BadInput): Promise<void> {
  await using project = await openHostileProject(make)
  const before = contentOf(dirname(project.root))
  for (const one of asked) await project.ask(...one)
  await project.ask('read_file', { file_path: '/kept' }, true, '1\tkept')
  expect(contentOf(dirname(project.root))).toEqual(before)
}

export function put(root: string, path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

/** All entries except the searches' own data. Special and huge files count by kind and size alone. */
function contentOf(folder: string): readonly string[] {
  const entries = readdirSync(folder, { encoding: 'buffer' })
  return entries.flatMap((name) => {
    const location = Buffer.concat([Buffer.from(`${folder}/`), name])
    if (name.toString() === 'temporary') return []
    const stats = lstatSync(location)
    const said = `${location.toString('latin1')} ${stats.mode} ${stats.size} ${stats.mtimeMs}`
    if (stats.isSymbolicLink()) return [`${said} ${readlinkSync(location)}`]
    if (stats.isFile() && stats.size < 1_000_000) return [`${said} ${readFileSync(location, 'latin1')}`]
    return stats.isDirectory() && location.toString() === location.toString('utf8')
      ? [said, ...contentOf(location.toString())]
      : [said]
  })
}
