import { execFileSync } from 'node:child_process'
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
import { createOverlayView } from '../overlay/overlay-tree.ts'
import { emptyTree, entryAt, type Tree } from '../overlay/tree.ts'
import { at, testDeflate, testHashing, testTextMerge, type World } from '../overlay/tree-fixtures.suite.ts'
import { walk } from '../overlay/walk.ts'
import { collectPatchFiles } from './collect-patch-files.ts'
import type { LeftOut } from './patch-file.ts'
import { verifyPatch } from './verify-patch.ts'
import { writePatch } from './write-patch.ts'

/** What a folder holds, one text per path: enough to tell any two trees apart. */
export type Snapshot = Readonly<Record<string, string>>

export async function exported(world: World, tree: Tree, paths: readonly string[] | null = null) {
  const collected = await collectPatchFiles({ ...world.sources, tree, paths: paths?.map(at) ?? null })
  const patch = await writePatch({
    files: collected.files,
    hashing: testHashing,
    deflate: testDeflate,
    textMerge: testTextMerge,
  })
  const fault = verifyPatch({ patch, files: collected.files, base: collected.base, deflate: testDeflate })
  return { ...collected, patch, text: Buffer.from(patch).toString('latin1'), fault }
}

export async function snapshotOf(world: World, tree: Tree): Promise<Snapshot> {
  const view = createOverlayView({ ...world.sources, tree })
  const found: Record<string, string> = {}
  for (const { path, node } of (await walk(view, at('/'))).entries) {
    if (node.kind === 'symlink') found[path] = `-> ${node.target}`
    else if (node.kind === 'file')
      found[path] = `${node.executable ? 'x' : '-'} ${Buffer.from(await view.read(path)).toString('hex')}`
  }
  return found
}

/** The same without what a patch leaves out: files there are as the base has them, and empty folders show nowhere. */
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

/** Applies a patch with the real git to a fresh repository that holds the base, and says what came out. */
export function applyWithGit(base: Snapshot, patch: Uint8Array): Snapshot {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-patch-'))
  try {
    const work = join(folder, 'work')
    mkdirSync(work)
    const env = { PATH: process.env.PATH, HOME: folder, GIT_CEILING_DIRECTORIES: folder, GIT_CONFIG_NOSYSTEM: '1' }
    const git = (...args: string[]) => execFileSync('git', args, { cwd: work, env, stdio: 'pipe' })
    git('init', '-q')
    for (const [path, content] of Object.entries(base)) place(join(work, path), content)
    writeFileSync(join(folder, 'patch'), patch)
    if (patch.length > 0)
      git('-c', 'apply.whitespace=nowarn', '-c', 'core.autocrlf=false', 'apply', join(folder, 'patch'))
    return read(work, '')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
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
