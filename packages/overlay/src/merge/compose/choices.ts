import type { ComposedFile } from './composed-files.ts'
import { type ComposeHunk, type HunkPick, hunksOf, variantsOf } from './segments.ts'

/** What becomes of a file. */
export type FileChoice =
  /** One version as a whole; null for the fork's. */
  | { readonly kind: 'whole'; readonly from: number | null }
  /** One pick for each hunk. */
  | { readonly kind: 'hunks'; readonly picks: readonly HunkPick[] }
  /** The whole text, as a person wrote it. */
  | { readonly kind: 'text'; readonly text: string }

/** Why a version is proposed. `only`: nobody else changed it. `same`: all who changed it did the same. `checks`: its checks alone are green. */
export type Evidence = 'only' | 'same' | 'checks'

/** What is proposed for a file. Null where nothing speaks for one version, so that a person must decide. */
export interface Proposal<Choice> {
  readonly choice: Choice
  readonly evidence: Evidence
}

/** What is proposed for a file, as a whole where versions are no text, else hunk by hunk. */
export type FileProposal =
  | { readonly kind: 'whole'; readonly proposal: Proposal<number> | null }
  | { readonly kind: 'hunks'; readonly proposals: readonly (Proposal<HunkPick> | null)[] }

/** Proposes what evidence speaks for. `green`: sources whose checks are green. */
export function proposeFile(file: ComposedFile, green: ReadonlySet<number>): FileProposal {
  if (file.versions.some(({ whole }) => whole !== null)) return { kind: 'whole', proposal: proposeWhole(file, green) }
  return { kind: 'hunks', proposals: hunksOf(file.segments).map((hunk) => proposeHunk(hunk, green)) }
}

/** The proposal as a choice. Null while something is undecided. */
export function choiceOf(proposed: FileProposal): FileChoice | null {
  if (proposed.kind === 'whole') return proposed.proposal && { kind: 'whole', from: proposed.proposal.choice }
  const picks = proposed.proposals.flatMap((proposal) => proposal?.choice ?? [])
  return picks.length === proposed.proposals.length ? { kind: 'hunks', picks } : null
}

function proposeWhole({ versions }: ComposedFile, green: ReadonlySet<number>): Proposal<number> | null {
  const found = propose([...Map.groupBy(versions, ({ nodes }) => JSON.stringify(nodes)).values()].map(sourcesIn), green)
  const [choice] = found?.sources ?? []
  return found && choice !== undefined ? { choice, evidence: found.evidence } : null
}

function proposeHunk(hunk: ComposeHunk, green: ReadonlySet<number>): Proposal<HunkPick> | null {
  const found = propose(
    variantsOf(hunk).map(({ sources }) => sources),
    green,
  )
  return found && { choice: { from: found.sources }, evidence: found.evidence }
}

const sourcesIn = (versions: ComposedFile['versions']): readonly number[] => versions.map(({ source }) => source)

/** `groups`: the sources of each different version. */
function propose(groups: readonly (readonly number[])[], green: ReadonlySet<number>) {
  const [first] = groups
  if (first && groups.length === 1)
    return { sources: first, evidence: first.length === 1 ? ('only' as const) : ('same' as const) }
  const passing = groups.filter((sources) => sources.some((source) => green.has(source)))
  const [sources] = passing
  return sources && passing.length === 1 ? { sources, evidence: 'checks' as const } : null
}
