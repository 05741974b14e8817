import {
  ancestorsOf,
  type BlobHash,
  createOverlayTransaction,
  type OverlayTransaction,
  type Patch,
  planMerge,
  type Tree,
  type TreeSources,
  type VirtualPath,
} from '#overlay'
import { FileTreeError } from '../ports/file-tree.ts'
import type { CheckoutChange, CheckoutContent, CheckoutNode } from '../ports/stores/checkout-folder.ts'
import type { TextMerge } from '../ports/text-merge.ts'
import { keepChanges } from '../trial/keep.ts'
import { contentAt } from './branch-files.ts'

export interface TakeBackSources extends TreeSources {
  readonly textMerge: TextMerge
}

/** Which version of a file that both sides changed counts: that of the branch, or that of the folder. */
export interface CheckoutChoice {
  readonly path: VirtualPath
  readonly side: 'branch' | 'folder'
}

export interface TakeBackPlan {
  /** Over the branch as it is. */
  readonly patch: Patch
  /** What the branch has when the patch counts, in its own words or joined. */
  readonly taken: readonly CheckoutChange[]
  /** Texts of both sides that were joined. */
  readonly joined: readonly VirtualPath[]
  /** Both sides changed them, in a way that somebody must decide. Nothing of them is taken. */
  readonly conflicts: readonly VirtualPath[]
  /** What the branch must not hold, with the reason as a sentence. Nothing of it is taken. */
  readonly refused: readonly { readonly path: VirtualPath; readonly why: string }[]
}

/**
 * What became of a branch's files in a folder, as a change of the branch: a three-way merge of what both had in common,
 * what the branch has now, and what the folder has. `choices` decide about files in conflict.
 */
export async function planTakeBack(
  sources: TakeBackSources,
  head: Tree,
  changes: readonly CheckoutChange[],
  choices: readonly CheckoutChoice[] = [],
): Promise<TakeBackPlan> {
  const sides = new Map(choices.map(({ path, side }) => [path, side]))
  const dropped = changes.filter(({ path }) => sides.get(path) === 'branch')
  const open = changes.filter(({ path }) => sides.get(path) !== 'branch')
  const { fork, unknown } = await forkOf(sources, head, open, sides)
  const asked = open.filter((change) => !unknown.has(change))
  const { tree: theirs, refused } = await withChanges(sources, fork, asked)
  const merge = { paths: null, force: false, strategy: 'three_way' } as const
  const { patch, result } = await planMerge({ ...sources, ...merge, fork, ours: head, theirs })
  const undecided = new Set([...result.skipped, ...refused.map(({ path }) => path)])
  const isSkipped = ({ path }: CheckoutChange) => undecided.has(path)
  return {
    patch,
    taken: [...asked.filter((change) => !isSkipped(change)), ...dropped],
    joined: result.merged,
    conflicts: [...result.skipped, ...[...unknown].map(({ path }) => path)],
    refused,
  }
}

/**
 * The branch with what both had in common at the changed paths. `unknown` are changes whose common version nobody has any
 * more, while the branch has another one.
 */
async function forkOf(
  sources: TakeBackSources,
  head: Tree,
  changes: readonly CheckoutChange[],
  sides: ReadonlyMap<VirtualPath, CheckoutChoice['side']>,
) {
  const draft = createOverlayTransaction({ ...sources, tree: head })
  const unknown = new Set<CheckoutChange>()
  for (const change of changes) {
    const { path, before, after } = change
    const now = await contentAt(draft, path)
    // Whoever chooses the folder's version has seen that of the branch.
    if (sides.get(path) === 'folder' || isAt(sources, before, now)) continue
    const common = await commonContent(sources, path, before)
    if (common !== undefined) await put(draft, path, common)
    else if (!isAt(sources, after && nodeOf(sources, after), now)) unknown.add(change)
  }
  return { fork: draft.tree, unknown }
}

/** Undefined when nobody has it any more. */
async function commonContent(
  { base, blobs, hashing }: TakeBackSources,
  path: VirtualPath,
  node: CheckoutNode | null,
): Promise<CheckoutContent | undefined> {
  if (node?.kind !== 'file') return node
  const { executable, blob } = node
  const read = async () => blobs.get(blob)
  const bytes = await read()
    .catch(async () => (await base.readUnlinked(path))?.bytes)
    .catch(() => undefined)
  return bytes && hashing.hash(bytes) === blob ? { kind: 'file', bytes, executable } : undefined
}

async function withChanges(sources: TakeBackSources, fork: Tree, changes: readonly CheckoutChange[]) {
  const refused: { readonly path: VirtualPath; readonly why: string }[] = []
  let tree = fork
  // What is gone makes room for what is new.
  for (const { path, after } of [...changes].sort((a, b) => Number(a.after !== null) - Number(b.after !== null))) {
    const draft = createOverlayTransaction({ ...sources, tree })
    try {
      await put(draft, path, after)
      tree = draft.tree
    } catch (error) {
      if (!(error instanceof FileTreeError)) throw error
      refused.push({ path, why: error.message })
    }
  }
  return { tree, refused }
}

/** Permissions that the branch has stay, as far as the folder says nothing else. */
async function put(draft: OverlayTransaction, path: VirtualPath, content: CheckoutContent): Promise<void> {
  if (content === null) return remove(draft, path)
  if (content.kind === 'symlink') return keepChanges(draft, [{ ...content, path }], { hidden })
  const now = await draft.stat(path)
  const same = now?.kind === 'file' && now.executable === content.executable && now.mode !== undefined
  await keepChanges(draft, [{ ...content, path, ...(same && { mode: now.mode }) }], { hidden })
}

/** Folders come and go with what is in them. */
async function remove(draft: OverlayTransaction, path: VirtualPath): Promise<void> {
  await keepChanges(draft, [{ kind: 'absent', path }], { hidden })
  for (const folder of ancestorsOf(path)) {
    if ((await draft.list(folder))?.entries.length !== 0) return
    await draft.delete(folder)
  }
}

/** A person sees everything. */
const hidden = { paths: [], unsearched: [] }

/** Whether a node is this content. */
export function isAt(
  sources: Pick<TakeBackSources, 'hashing'>,
  node: CheckoutNode | null,
  content: CheckoutContent,
): boolean {
  if (node === null || content === null) return node === content
  const other = nodeOf(sources, content)
  if (node.kind === 'file')
    return other.kind === 'file' && node.blob === other.blob && node.executable === other.executable
  return other.kind === 'symlink' && other.target === node.target
}

function nodeOf({ hashing }: Pick<TakeBackSources, 'hashing'>, content: NonNullable<CheckoutContent>): CheckoutNode {
  if (content.kind === 'symlink') return content
  const blob: BlobHash = hashing.hash(content.bytes)
  return { kind: 'file', blob, executable: content.executable }
}
