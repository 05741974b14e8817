import {
  baseNode,
  entriesWithin,
  entryAt,
  nodeText,
  planRevert,
  readNode,
  rewriteText,
  type Tree,
  type TreeSources,
} from '#overlay'
import { failure, type Result, success } from '#shared/base/result.ts'
import { type Patch, type PatchStep, sameEntry, sameNode, toPatch } from '#shared/model/patch.ts'
import { isLarge, type OverlayEntry, permissionsOf, type TreeNode } from '#shared/model/tree-node.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { TextMerge } from '../ports/text-merge.ts'
import { withCompanions } from './apply-companions.ts'

/**
 * What a person keeps of a path that changed in the workspace and on disk: both changes joined, the workspace's version,
 * the disk's, or a text of their own.
 */
export type DriftChoice =
  | { readonly path: VirtualPath; readonly keep: 'both' | 'ours' | 'theirs' }
  | { readonly path: VirtualPath; readonly text: string }

/** One side of the disk: a path of the workspace whose pin is not what the disk has now. */
interface Drift {
  readonly path: VirtualPath
  readonly entry: OverlayEntry
  /** Null when the file was deleted on disk. */
  readonly disk: TreeNode | null
}

type Sources = TreeSources & { readonly textMerge: TextMerge }

/** The one change that carries out all choices, or a sentence for a person why one of them cannot be carried out. */
export async function planSettle(
  sources: Sources,
  tree: Tree,
  choices: readonly DriftChoice[],
): Promise<{ readonly patch: Patch } | { readonly refused: string }> {
  const steps = new Map<VirtualPath, PatchStep>()
  for (const choice of choices) {
    const planned = await planChoice(sources, tree, choice)
    if (typeof planned === 'string') return { refused: planned }
    for (const [path, step] of planned) {
      const other = steps.get(path)
      if (other && !sameEntry(other[1], step[1])) return { refused: `${path} is decided in two ways. Choose one.` }
      steps.set(path, step)
    }
  }
  return { patch: toPatch(steps) }
}

/** Three versions of a path: where both changes started, the workspace's, and the disk's. Null where there is none. */
export interface DriftVersions {
  readonly pin: TreeNode | null
  readonly ours: TreeNode | null
  readonly disk: TreeNode | null
}

/**
 * The versions of a path that changed in the workspace and on disk. A renamed file meets what the disk changed at its
 * old path. Undefined when nothing changed on disk, or more than one file of a rename.
 */
export async function driftVersions(
  sources: TreeSources,
  tree: Tree,
  path: VirtualPath,
): Promise<DriftVersions | undefined> {
  const [drift, ...others] = await driftsAround(sources, tree, path)
  const entry = entryAt(tree, path)
  if (!drift || !entry || others.length > 0) return undefined
  if (drift.path !== path && drift.path !== entry.renamedFrom) return undefined
  return { pin: drift.entry.pin, ours: entry.node, disk: drift.disk }
}

/** The text with the workspace's change and the disk's. Null when they overlap, or when a version is not text. */
export async function joinedText(sources: Sources, tree: Tree, path: VirtualPath): Promise<string | null> {
  const versions = await driftVersions(sources, tree, path)
  const text = (node: TreeNode | null | undefined) =>
    node?.kind === 'file' ? nodeText(sources.blobs, node) : undefined
  const [base, ours, theirs] = [text(versions?.pin), text(versions?.ours), text(versions?.disk)]
  if (base === undefined || ours === undefined || theirs === undefined) return null
  return (await sources.textMerge.merge(base, ours, theirs))?.text ?? null
}

/** Half of a rename is decided together with the other half. */
async function planChoice(sources: Sources, tree: Tree, choice: DriftChoice): Promise<Patch | string> {
  const { path } = choice
  const drifts = await driftsAround(sources, tree, path)
  if (drifts.length === 0) return `${path} is as it was on disk. There is nothing to decide.`
  if ('keep' in choice && choice.keep === 'theirs') return planRevert(tree, [path])
  const folder = drifts.find(({ disk }) => disk?.kind === 'directory')
  if (folder) return `${folder.path} is a folder on disk now. Move it away first, or keep the disk’s.`
  const repins = drifts.map((drift) => [drift.path, repin(drift)] as const)
  if ('keep' in choice && choice.keep === 'ours') return toPatch(repins)
  const own = drifts.find((drift) => drift.path === path) ?? inStep(tree, path)
  const bytes = 'text' in choice ? typedBytes(sources, own, choice.text) : await joinedBytes(sources, tree, path)
  if (!bytes.ok) return `${path} ${bytes.error}. Keep one of both.`
  return toPatch(new Map([...repins, [path, own ? writeBytes(sources, own, bytes.value) : [null, null]]]))
}

/** A path that only changed in the workspace. */
function inStep(tree: Tree, path: VirtualPath): Drift | undefined {
  const entry = entryAt(tree, path)
  return entry ? { path, entry, disk: entry.pin } : undefined
}

/** The path and what an apply writes along with it, as far as the disk changed there. */
async function driftsAround(sources: TreeSources, tree: Tree, path: VirtualPath): Promise<readonly Drift[]> {
  const found: Drift[] = []
  for (const one of withCompanions(new Map(entriesWithin(tree, rootPath)), [path])) {
    const entry = entryAt(tree, one)
    const disk = entry && (await baseNode(sources, one))
    if (entry && disk !== undefined && !sameNode(disk, entry.pin)) found.push({ path: one, entry, disk })
  }
  return found
}

/** The disk's version becomes the pin. A version that both sides agree on is no change any more. */
function repin({ entry, disk }: Omit<Drift, 'path'>): PatchStep {
  return [entry, sameNode(entry.node, disk) ? null : { ...entry, pin: disk }]
}

/** A person's text in the form that the file has. The error ends a sentence about the file. */
function typedBytes(
  { blobs }: Pick<Sources, 'blobs'>,
  own: Drift | undefined,
  text: string,
): Result<Uint8Array, string> {
  const model = [own?.entry.node, own?.disk].find((node) => node?.kind === 'file') ?? null
  const fitted = rewriteText(isLarge(model) ? new Uint8Array() : readNode(blobs, model), text)
  return fitted.ok ? fitted : failure(`is not changed: ${fitted.error}`)
}

/** The lines of both sides as they are. */
async function joinedBytes(sources: Sources, tree: Tree, path: VirtualPath): Promise<Result<Uint8Array, string>> {
  const text = await joinedText(sources, tree, path)
  return text === null
    ? failure('was changed on disk in the same place, or is no text')
    : success(new TextEncoder().encode(text))
}

/** The bytes become the file, and the disk's version the pin. */
function writeBytes({ blobs }: Pick<Sources, 'blobs'>, { entry, disk }: Drift, bytes: Uint8Array): PatchStep {
  const model = [entry.node, disk].find((node) => node?.kind === 'file')
  const permissions = model?.kind === 'file' ? permissionsOf(model) : { executable: false }
  const node: TreeNode = { kind: 'file', blob: blobs.put(bytes), size: bytes.length, ...permissions }
  const [, after] = repin({ entry: { ...entry, node }, disk })
  return [entry, after]
}
