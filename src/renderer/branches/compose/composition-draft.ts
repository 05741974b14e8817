import type { CompositionRow } from '#shared/contract/views/compositions.ts'
import type { ComposeSegment, Evidence, FileChoice, HunkPick } from '#shared/model/compose/composition.ts'
import { assemble, hunksOf, textFrom } from '#shared/model/compose/composition.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** What a person chose of a file so far, over what evidence speaks for. */
export interface FileDraft {
  /** Of the file as it was when the person chose. */
  readonly fingerprint: string
  /** By hunk. Undefined where the person chose nothing. */
  readonly picks: Readonly<Record<number, HunkPick>>
  /** A version as a whole, null for the base. Undefined where the person chose none. */
  readonly whole?: number | null
  /** The whole text by hand. */
  readonly text?: string
}

export type Draft = ReadonlyMap<VirtualPath, FileDraft>

export const emptyDraft: Draft = new Map()

/** What a hunk gets. `evidence` is null where the person chose. */
export type Chosen = { readonly pick: HunkPick; readonly evidence: Evidence | null } | null

/** The draft with a change of one file. */
export function changeFile(draft: Draft, row: CompositionRow, change: (file: FileDraft) => FileDraft): Draft {
  const known = draft.get(row.path) ?? { fingerprint: row.fingerprint, picks: {} }
  return new Map([...draft, [row.path, { ...change(known), fingerprint: row.fingerprint }]])
}

export function pickHunk(file: FileDraft, hunk: number, pick: HunkPick): FileDraft {
  const { whole: _whole, text: _text, ...rest } = file
  return { ...rest, picks: { ...file.picks, [hunk]: pick } }
}

/** True when a version changed after the person chose something of it. */
export function isOutdated(row: CompositionRow, draft: Draft): boolean {
  const file = draft.get(row.path)
  return file !== undefined && file.fingerprint !== row.fingerprint
}

/** What each hunk of a file gets. */
export function picksOf(row: CompositionRow, file: FileDraft | undefined): readonly Chosen[] {
  const proposals =
    row.proposal.kind === 'hunks' ? row.proposal.proposals : Array.from({ length: row.hunks }, () => null)
  return proposals.map((proposed, at) => {
    const pick = file?.picks[at]
    if (pick) return { pick, evidence: null }
    return proposed && { pick: proposed.choice, evidence: proposed.evidence }
  })
}

/** What becomes of a file. Null while something of it is undecided. */
export function choiceFor(row: CompositionRow, file: FileDraft | undefined): FileChoice | null {
  if (file?.text !== undefined) return { kind: 'text', text: file.text }
  if (file?.whole !== undefined) return { kind: 'whole', from: file.whole }
  const isByHunks = row.proposal.kind === 'hunks' || Object.keys(file?.picks ?? {}).length > 0
  if (!isByHunks)
    return row.proposal.kind === 'whole' && row.proposal.proposal
      ? { kind: 'whole', from: row.proposal.proposal.choice }
      : null
  const picks = picksOf(row, file).flatMap((chosen) => chosen?.pick ?? [])
  return picks.length === row.hunks ? { kind: 'hunks', picks } : null
}

/** The choices as they are stored. */
export function chosenFiles(rows: readonly CompositionRow[], draft: Draft) {
  return rows.flatMap((row) => {
    const choice = choiceFor(row, draft.get(row.path))
    return choice ? [{ path: row.path, fingerprint: row.fingerprint, choice }] : []
  })
}

/** A run of the live result with the hunk that it is of. Offsets are into the text. */
export interface ResultMark {
  readonly hunk: number
  readonly from: number
  readonly to: number
}

/** The live text of a file. An undecided hunk shows its base. Null where picked changes overlap, and without lines. */
export function resultOf(segments: readonly ComposeSegment[], picks: readonly Chosen[]) {
  if (segments.length === 0) return null
  const runs = assemble(
    segments,
    picks.map((chosen) => chosen?.pick ?? { from: [] }),
  )
  if (runs === null) return null
  const marks: ResultMark[] = []
  let at = 0
  for (const { hunk, text } of runs) {
    if (hunk !== null) marks.push({ hunk, from: at, to: at + text.length })
    at += text.length
  }
  return { text: runs.map(({ text }) => text).join(''), marks }
}

/** All sources that changed a hunk, when they can be taken together. Null when they overlap, or there is one alone. */
export function bothOf(segments: readonly ComposeSegment[], hunk: number): readonly number[] | null {
  const found = hunksOf(segments)[hunk]
  const from = [...new Set(found?.changes.map(({ source }) => source))]
  return found && from.length > 1 && textFrom(found, from) !== null ? from : null
}
