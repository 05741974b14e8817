import { splitLines } from '../../git-patch/patch-file.ts'
import { sameNode } from '../../model/patch.ts'
import type { MergeBase } from '../../model/reports.ts'
import { failure, type Result, success } from '../../model/result.ts'
import { type FileNode, isLarge, permissionsOf } from '../../model/tree-node.ts'
import { parentOf, type VirtualPath } from '../../model/virtual-path.ts'
import { exactText } from '../../tree/binary.ts'
import { isLeaf, type Leaf, readNode, type TreeSources } from '../../tree/nodes.ts'
import { rewriteText } from '../../tree/text-form.ts'
import { entryAt, type Tree } from '../../tree/tree.ts'
import { createTreeEditor, type TreeEditor } from '../../tree/tree-editor.ts'
import { isBlocked } from '../execute.ts'
import { mergeFolders } from '../merge-folders.ts'
import type { FileChoice } from './choices.ts'
import type { ComposedFile, ComposeTrees } from './composed-files.ts'
import { assemble, type HunkPick } from './segments.ts'

/** Where lines of a composed file are from. */
export interface ComposedPiece {
  /** Its first line in the composed file, from 0. */
  readonly start: number
  /** Null for a file that was taken as a whole. */
  readonly lines: number | null
  /** Positions in the list of sources. Empty for the base, and for what a person wrote. */
  readonly from: readonly number[]
  /** A person wrote it. */
  readonly byHand?: true
}

/** Where each part of a composed file is from. Lines of no piece are those that all versions share. */
export interface FileOrigin {
  readonly path: VirtualPath
  readonly pieces: readonly ComposedPiece[]
}

/** A tree of chosen versions and hunks. */
export interface ComposedTree {
  readonly tree: Tree
  readonly origins: readonly FileOrigin[]
}

/** A choice that cannot be carried out. `overlap`: picked changes overlap. `missing`: there is no such version or hunk. */
export interface ComposeProblem {
  readonly path: VirtualPath
  readonly problem: 'overlap' | 'missing' | 'blocked' | { readonly why: string }
}

export interface ComposeChoice {
  readonly file: ComposedFile
  readonly choice: FileChoice
}

type Wanted = { readonly nodes: readonly (Leaf | null)[]; readonly pieces: readonly ComposedPiece[] }

/** The tree `onto` with each of these files as it was chosen. All other files stay as they are there. */
export async function composeTree(
  options: TreeSources & ComposeTrees & { readonly onto: Tree; readonly choices: readonly ComposeChoice[] },
): Promise<Result<ComposedTree, ComposeProblem>> {
  const { onto, choices } = options
  const editor = createTreeEditor({ ...options, tree: onto })
  const placed: (ComposeChoice & Wanted)[] = []
  for (const one of choices) {
    const wanted = wantedOf(options, one)
    if (!wanted.ok) return failure({ path: one.file.path, problem: wanted.error })
    placed.push({ ...one, ...wanted.value })
  }
  for (const { file, nodes } of placed) {
    for (const [at, path] of file.paths.entries()) {
      if (nodes[at]) continue
      const found = await editor.locate(path, false)
      if (found.path === path && found.node && found.node.kind !== 'directory') await editor.place(path, null)
    }
  }
  for (const one of placed) {
    const blocked = await placeNodes(editor, options, one)
    if (blocked !== null) return failure({ path: blocked, problem: 'blocked' })
  }
  await removeFolders(editor, options, placed)
  const origins = placed.map(({ file, pieces }) => ({ path: file.path, pieces }))
  return success({ tree: editor.tree, origins })
}

/** The path that something else is in the way of; null when all have their place. */
async function placeNodes(
  editor: TreeEditor,
  { sources }: ComposeTrees,
  { file, nodes, pieces }: ComposeChoice & Wanted,
): Promise<VirtualPath | null> {
  const trees = [...new Set(pieces.flatMap(({ from }) => from))].flatMap((source) => sources[source] ?? [])
  for (const [at, path] of file.paths.entries()) {
    const node = nodes[at]
    if (!node) continue
    if (await isBlocked(editor, path)) return path
    const entries = trees.flatMap((tree) => entryAt(tree, path) ?? [])
    const times = entries.flatMap(({ changedAt }) => changedAt ?? [])
    await editor.makeFolders(parentOf(path))
    await editor.place(path, node, {
      renamedFrom: entries.find(({ renamedFrom }) => renamedFrom !== undefined)?.renamedFrom,
      ...(times.length > 0 && { changedAt: Math.max(...times) }),
    })
  }
  return null
}

/** Removes the folders that a source emptied, where files of it were taken. */
async function removeFolders(
  editor: TreeEditor,
  { fork, sources }: ComposeTrees,
  placed: readonly (ComposeChoice & Wanted)[],
): Promise<void> {
  const taken = new Set(
    placed.flatMap(({ nodes, pieces }) => (nodes.includes(null) ? pieces.flatMap(({ from }) => from) : [])),
  )
  for (const source of taken) {
    const theirs = sources[source]
    if (theirs) await mergeFolders(editor, { fork, theirs, paths: null })
  }
}

function wantedOf(sources: TreeSources, { file, choice }: ComposeChoice): Result<Wanted, ComposeProblem['problem']> {
  switch (choice.kind) {
    case 'whole': {
      const version = file.versions.find(({ source }) => source === choice.from)
      const nodes = choice.from === null ? file.base : version?.nodes
      const from = choice.from === null ? [] : [choice.from]
      return nodes ? success({ nodes, pieces: [{ start: 0, lines: null, from }] }) : failure('missing')
    }
    case 'text': {
      if (file.paths.length > 1) return failure('missing')
      const fitted = fitText(sources, file, choice.text)
      if (!fitted.ok) return failure({ why: fitted.error })
      return success({ nodes: [fitted.value], pieces: [{ start: 0, lines: null, from: [], byHand: true }] })
    }
    case 'hunks':
      return pickedFile(sources, file, choice.picks)
  }
}

function pickedFile(
  sources: TreeSources,
  file: ComposedFile,
  picks: readonly HunkPick[],
): Result<Wanted, ComposeProblem['problem']> {
  const known = new Set(file.versions.flatMap(({ source, whole }) => (whole === null ? [source] : [])))
  const hunks = file.segments.filter(({ kind }) => kind === 'hunk').length
  const isKnown = (pick: HunkPick) => 'text' in pick || pick.from.every((source) => known.has(source))
  if (hunks === 0 || picks.length !== hunks || !picks.every(isKnown)) return failure('missing')
  const runs = assemble(file.segments, picks)
  if (runs === null) return failure('overlap')
  const pieces: ComposedPiece[] = []
  let start = 0
  for (const { hunk, text } of runs) {
    const lines = splitLines(text).length
    const pick = hunk === null ? undefined : picks[hunk]
    if (pick) pieces.push('text' in pick ? { start, lines, from: [], byHand: true } : { start, lines, from: pick.from })
    start += lines
  }
  const node = nodeOf(sources, file, picks, runs.map(({ text }) => text).join(''))
  return success({ nodes: [node], pieces })
}

/** A version that has exactly this text, which also has its permissions; else a new one. */
function nodeOf(
  { blobs }: TreeSources,
  { base: [base = null], versions }: ComposedFile,
  picks: readonly HunkPick[],
  text: string,
): Leaf | null {
  const isBase = picks.every((pick) => !('text' in pick) && pick.from.length === 0)
  if (isBase) return base
  const picked = new Set(picks.flatMap((pick) => ('text' in pick ? [] : pick.from)))
  const chosen = versions.filter(({ source }) => picked.has(source))
  const models = [base, ...[...chosen, ...versions].map(({ nodes: [node = null] }) => node)]
  const same = models.find((node) => isLeaf(node) && !isLarge(node) && exactText(readNode(blobs, node)) === text)
  if (same?.kind === 'file') return same
  return fileNode(blobs, models, new TextEncoder().encode(text))
}

/** What a person wrote, in the form of the base or of the first version that is a file. */
function fitText(
  { blobs }: TreeSources,
  { base: [base = null], versions }: ComposedFile,
  text: string,
): Result<FileNode, string> {
  const models = [base, ...versions.map(({ nodes: [node = null] }) => node)]
  const model = models.find((node) => node?.kind === 'file' && !isLarge(node)) ?? null
  const fitted = rewriteText(readNode(blobs, model), text)
  return fitted.ok ? success(fileNode(blobs, models, fitted.value)) : fitted
}

function fileNode(blobs: TreeSources['blobs'], models: readonly (Leaf | null)[], bytes: Uint8Array): FileNode {
  const model = models.find((node) => node?.kind === 'file')
  const permissions = model?.kind === 'file' ? permissionsOf(model) : { executable: false }
  return { kind: 'file', blob: blobs.put(bytes), size: bytes.length, ...permissions }
}

/** What the next merge of a source compares these files with: all that the source has of them now. */
export function composedBases(tree: Tree, source: number, files: readonly ComposedFile[]): readonly MergeBase[] {
  return files.flatMap(({ paths, base, versions }) => {
    const version = versions.find((one) => one.source === source)
    if (!version) return []
    return paths.flatMap((path, at): MergeBase[] => {
      const node = version.nodes[at] ?? null
      return !sameNode(node, base[at] ?? null) ? [[path, { node, pin: entryAt(tree, path)?.pin ?? null }]] : []
    })
  })
}
