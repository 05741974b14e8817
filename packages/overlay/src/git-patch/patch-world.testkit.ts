import { execFile } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createOverlayTree } from '../tree/overlay-tree.ts'
import { emptyTree, entryAt, type Tree } from '../tree/tree.ts'
import { at, testDeflate, testHashing, testTextMerge, type World } from '../tree/tree-fixtures.testkit.ts'
import { walk } from '../tree/walk.ts'
import { verifyPatch } from './apply-patch.ts'
import { collectPatchFiles } from './collect-patch-files.ts'
import type { LeftOut } from './patch-file.ts'
import { writePatch } from './write-patch.ts'

const run = promisify(execFile)

/** No waiting: nothing else runs in these tests. */
export const pace = () => undefined

/** The content of a folder, one text per path. Different trees have different snapshots. */
export type Snapshot = Readonly<Record<string, string>>

export async function exported(world: World, tree: Tree, paths: readonly string[] | null = null) {
  const collected = await collectPatchFiles({ ...world.sources, tree, paths: paths?.map(at) ?? null, pace })
  const options = { files: collected.files, hashing: testHashing, deflate: testDeflate, textMerge: testTextMerge, pace }
  const patch = await writePatch(options)
  const tried = await writePatch({ ...options, asStandIns: true })
  const fault = await verifyPatch({
    patch: tried,
    files: collected.files,
    base: collected.base,
    deflate: testDeflate,
    pace,
  })
  return { ...collected, patch, text: Buffer.from(patch).toString('latin1'), fault }
}

export async function snapshotOf(world: World, tree: Tree): Promise<Snapshot> {
  const files = createOverlayTree({ ...world.sources, tree })
  const found: Record<string, string> = {}
  for (const { path, node } of (await walk(files, at('/'))).entries) {
    if (node.kind === 'symlink') found[path] = `-> ${node.target}`
    else if (node.kind === 'file')
      found[path] =
        `${node.executable ? 'x' : '-'} ${Buffer.from(await files.read(path, { offset: 0, length: node.size })).toString('hex')}`
  }
  return found
}

/** The same without what a patch leaves out. Files left out are as in the base, and empty folders never appear. */
export async function carriedOf(world: World, tree: Tree, leftOut: readonly LeftOut[]): Promise<Snapshot> {
  const [base, found] = [await snapshotOf(world, emptyTree), { ...(await snapshotOf(world, tree)) }]
  for (const { path } of leftOut) {
    if (entryAt(tree, path)?.node?.kind === 'directory') continue
    const before = base[path]
    if (before === undefined) delete found[path]
    else found[path] = before
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** What the real git makes of a base and a patch, in a fresh repository and in a plain folder outside of any. */
export async function appliedByGit(
  base: Snapshot,
  patch: Uint8Array,
): Promise<{ repository: Snapshot; folder: Snapshot }> {
  const above = mkdtempSync(join(tmpdir(), 'coppice-patch-'))
  try {
    writeFileSync(join(above, 'patch'), patch)
    const apply = async (name: string, init: boolean): Promise<Snapshot> => {
      const work = join(above, name)
      mkdirSync(work)
      if (init) await git(work, 'init', '-q', '--template=')
      for (const [path, content] of Object.entries(base)) place(join(work, path), content)
      const flags = ['-c', 'apply.whitespace=nowarn', '-c', 'core.autocrlf=false']
      if (patch.length > 0) await git(work, ...flags, 'apply', join(above, 'patch'))
      return read(work, '')
    }
    const [repository, folder] = await Promise.all([apply('repository', true), apply('folder', false)])
    return { repository, folder }
  } finally {
    rmSync(above, { recursive: true, force: true })
  }
}

async function git(work: string, ...args: string[]): Promise<void> {
  const [HOME, PATH] = [dirname(work), process.env.PATH]
  await run('git', args, { cwd: work, env: { PATH, HOME, GIT_CEILING_DIRECTORIES: HOME, GIT_CONFIG_NOSYSTEM: '1' } })
}

function place(location: string, content: string): void {
  mkdirSync(dirname(location), { recursive: true })
  if (content.startsWith('-> ')) symlinkSync(content.slice(3), location)
  else writeFileSync(location, Buffer.from(content.slice(2), 'hex'))
  if (content.startsWith('x')) chmodSync(location, 0o755)
}

function read(folder: string, path: string): Snapshot {
  const found: Record<string, string> = {}
  for (const name of readdirSync(folder)) {
    if (path === '' && name === '.git') continue
    const location = join(folder, name)
    const stats = lstatSync(location)
    if (stats.isSymbolicLink()) found[`${path}/${name}`] = `-> ${readlinkSync(location)}`
    else if (stats.isDirectory()) Object.assign(found, read(location, `${path}/${name}`))
    else found[`${path}/${name}`] = `${stats.mode & 0o100 ? 'x' : '-'} ${readFileSync(location).toString('hex')}`
  }
  return found
}
