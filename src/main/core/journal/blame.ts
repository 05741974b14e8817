import { nodeText, type TextMerge, type TreeSources } from '#overlay'
import type { Composition } from '#shared/model/branch.ts'
import type { Entry, EntryOf } from '#shared/model/entry.ts'
import type { BranchId, Sequence, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { PatchStep } from '#shared/model/patch.ts'
import type { TreeNode } from '#shared/model/tree-node.ts'
import { ancestorsOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { patchesOf, patchingTypes } from '../branches/branch-trees.ts'
import { mutationsOf, sidesOf } from './mutations.ts'

/** The entry that put a line where it is. Null for what the folder had, and for what the person wrote there since. */
export type LineOrigin = {
  readonly sequence: Sequence
  /** The thread on whose branch the line was written first. */
  readonly threadId: ThreadId
  readonly branchId: BranchId
  /** Null for what no call wrote: a merge that was settled by hand, or a person's edit. */
  readonly callId: ToolCallId | null
} | null

export interface BlamedLine {
  /** With its line end. */
  readonly text: string
  readonly origin: LineOrigin
}

export interface BlameSources {
  /** Of the branch's family, in order: those of `blameTypes`. */
  readonly entries: readonly Entry[]
  readonly blobs: TreeSources['blobs']
  readonly textMerge: Pick<TextMerge, 'hunks'>
}

/** The entries of which a file's history is made. */
export const blameTypes = ['branch.forked', ...patchingTypes] as const

/** What is known of a path at one moment: undefined before anything changed it, null for no file or one that is no text. */
type Known = readonly BlamedLine[] | null | undefined

/**
 * Each line of a file of a branch with the entry that wrote it first, on whichever branch: a merge, a rename and a rewind hand
 * lines on. `text` is the file as it is now. What it has that no entry wrote is the folder's.
 */
export async function blame(
  sources: BlameSources,
  branchId: BranchId,
  path: VirtualPath,
  text: string,
): Promise<readonly BlamedLine[]> {
  const known = await traced({ ...sources, memory: new Map() }, branchId, path, Number.POSITIVE_INFINITY as Sequence)
  return advanced(sources, known ?? [], text, null)
}

interface Tracing extends BlameSources {
  readonly memory: Map<string, Promise<Known>>
}

/** The file of a branch after the entry `until`. */
function traced(tracing: Tracing, branchId: BranchId, path: VirtualPath, until: Sequence): Promise<Known> {
  const key = `${until} ${branchId} ${path}`
  const known = tracing.memory.get(key)
  if (known) return known
  const made = trace(tracing, branchId, path, until)
  tracing.memory.set(key, made)
  return made
}

async function trace(tracing: Tracing, branchId: BranchId, path: VirtualPath, until: Sequence): Promise<Known> {
  const fork = tracing.entries.find((entry) => entry.type === 'branch.forked' && entry.branchId === branchId)
  const parentId = fork?.type === 'branch.forked' ? fork.parentId : null
  const from = fork?.sequence ?? (-1 as Sequence)
  let known = fork && parentId !== null ? await traced(tracing, parentId, path, fork.sequence) : undefined
  /** What each version was made of, for whatever goes back to it. */
  const versions = new Map<string, Known>()
  const remember = (node: TreeNode | null) => node?.kind === 'file' && versions.set(node.blob, known)
  for (const entry of tracing.entries) {
    if (entry.sequence <= from || entry.sequence > until || applying.has(entry.type)) continue
    for (const { branchId: changed, patch } of patchesOf(entry)) {
      if (changed !== branchId) continue
      const steps = new Map(patch)
      const step = steps.get(path)
      if (!step) {
        if (ancestorsOf(path).some((folder) => hides(steps.get(folder)))) known = null
        continue
      }
      const { before, after } = sidesOf(step)
      known = await stepped(tracing, known, before)
      remember(before)
      const earlier = after?.kind === 'file' ? versions.get(after.blob) : undefined
      const isBack = goingBack.has(entry.type) && earlier !== undefined
      known = isBack ? earlier : await changedBy(tracing, known, entry, { branchId, path, steps })
      remember(after)
    }
  }
  return known
}

/** Entries that move work between the branch and the folder. A reader of the branch sees the same before and after. */
const applying: ReadonlySet<Entry['type']> = new Set(['apply.finished', 'apply.undone'])

const goingBack: ReadonlySet<Entry['type']> = new Set([
  'rewound',
  'merge.undone',
  'branch.restored',
  'branch.discarded',
])

function hides(step: PatchStep | undefined): boolean {
  const after = step?.[1]
  return after !== null && after !== undefined && (after.node === null || after.opaque === true)
}

/** With what the person did to the file in the folder meanwhile. */
async function stepped(tracing: Tracing, known: Known, before: TreeNode | null): Promise<Known> {
  const text = before?.kind === 'file' ? nodeText(tracing.blobs, before) : undefined
  if (text === undefined) return before === null ? null : known
  return advanced(tracing, known ?? [], text, null)
}

interface Place {
  readonly branchId: BranchId
  readonly path: VirtualPath
  /** What the entry did to the branch. */
  readonly steps: ReadonlyMap<VirtualPath, PatchStep>
}

async function changedBy(
  tracing: Tracing,
  known: Known,
  entry: Entry,
  { branchId, path, steps }: Place,
): Promise<Known> {
  const step = steps.get(path)
  const after = step ? sidesOf(step).after : null
  const text = after?.kind === 'file' ? nodeText(tracing.blobs, after) : undefined
  if (text === undefined) return null
  const { sequence, threadId } = entry
  const callId = 'callId' in entry ? (entry.callId ?? null) : null
  const origin: LineOrigin = { sequence, threadId, branchId, callId }
  const beforeEntry = (sequence - 1) as Sequence
  const from = mutationsOf(entry).find((one) => one.path === path)?.from
  const gone = from && steps.get(from)
  const own = gone
    ? await stepped(tracing, await traced(tracing, branchId, from, beforeEntry), sidesOf(gone).before)
    : known
  if (entry.type !== 'branch.merged') return advanced(tracing, own ?? [], text, origin)
  if (entry.composed)
    return composedLines(tracing, own ?? [], text, origin, { ...entry, composed: entry.composed, path })
  return advanced(tracing, own ?? [], text, origin, (await brought(tracing, entry, path)) ?? [])
}

type Composed = EntryOf<'branch.merged'> & { readonly composed: Composition; readonly path: VirtualPath }

/** A composed line is the line of the branch that it was taken from. What a person wrote is of the entry itself. */
async function composedLines(
  tracing: Tracing,
  own: readonly BlamedLine[],
  text: string,
  origin: LineOrigin,
  { composed, path, sequence, into }: Composed,
): Promise<readonly BlamedLine[]> {
  const known = await advanced(tracing, own, text, origin)
  const pieces = composed.files.find((file) => file.path === path)?.pieces ?? []
  const lines = [...known]
  for (const { start, lines: count, from, byHand } of pieces) {
    const end = count === null ? lines.length : start + count
    if (byHand && count !== null) lines.fill({ text: '', origin }, start, end)
    for (const source of from.toReversed()) {
      const branch = composed.sources[source]
      if (!branch) continue
      const until = Math.min(sequence - 1, branch.sequence) as Sequence
      const traced = await brought(tracing, { branchId: branch.branchId, sequence: until + 1, into }, path)
      const theirs = await matched(
        tracing.textMerge,
        traced ?? [],
        known.map((line) => line.text),
        text,
      )
      for (let at = start; at < end; at += 1) lines[at] = theirs[at] ?? lines[at] ?? { text: '', origin }
    }
  }
  return known.map(({ text: shown }, at) => ({ text: shown, origin: lines[at]?.origin ?? null }))
}

/** The file on the branch that was merged, where it may still have a name that the file had here before. */
async function brought(
  tracing: Tracing,
  merge: Pick<EntryOf<'branch.merged'>, 'branchId' | 'sequence' | 'into'>,
  path: VirtualPath,
): Promise<Known> {
  const until = (merge.sequence - 1) as Sequence
  const same = await traced(tracing, merge.branchId, path, until)
  if (same) return same
  for (const name of namesBefore(tracing, merge.into, path, until)) {
    const known = await traced(tracing, merge.branchId, name, until)
    if (known) return known
  }
  return null
}

/** The names that a file of a branch had before, the latest first. */
function namesBefore(
  { entries }: Tracing,
  branchId: BranchId,
  path: VirtualPath,
  until: Sequence,
): readonly VirtualPath[] {
  const names: VirtualPath[] = []
  let name = path
  for (const entry of entries.toReversed()) {
    if (entry.sequence > until || !patchesOf(entry).some((one) => one.branchId === branchId)) continue
    const from = mutationsOf(entry).find((one) => one.path === name)?.from
    if (from === undefined) continue
    names.push(from)
    name = from
  }
  return names
}

/**
 * A text with the origins of the lines that it has from `known`, and else from `merged`, which another branch brought. All others
 * are of `origin`.
 */
async function advanced(
  { textMerge }: Pick<BlameSources, 'textMerge'>,
  known: readonly BlamedLine[],
  text: string,
  origin: LineOrigin,
  merged: readonly BlamedLine[] = [],
): Promise<readonly BlamedLine[]> {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const own = await matched(textMerge, known, lines, text)
  const others = merged.length === 0 ? [] : await matched(textMerge, merged, lines, text)
  return lines.map((line, at) => own[at] ?? others[at] ?? { text: line, origin })
}

/** For each line of a text the one that it is in an earlier text. Undefined where it is new. */
async function matched(
  textMerge: BlameSources['textMerge'],
  known: readonly BlamedLine[],
  lines: readonly string[],
  text: string,
): Promise<readonly (BlamedLine | undefined)[]> {
  const found: (BlamedLine | undefined)[] = lines.map(() => undefined)
  const { hunks } = await textMerge.hunks(known.map((line) => line.text).join(''), text, 0)
  let [old, fresh] = [0, 0]
  const keep = (until: number): void => {
    for (; fresh < until; [old, fresh] = [old + 1, fresh + 1]) found[fresh] = known[old]
  }
  for (const { oldStart, oldLines, newStart, newLines } of hunks) {
    keep(newLines === 0 ? newStart : newStart - 1)
    old = (oldLines === 0 ? oldStart : oldStart - 1) + oldLines
    fresh += newLines
  }
  keep(lines.length)
  return found
}
