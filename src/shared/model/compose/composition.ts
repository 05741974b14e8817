/** What is composed of several trees, as every part of the app names it. It belongs to the overlay. */
export {
  assemble,
  type ComposedPiece,
  type ComposeHunk,
  type ComposeSegment,
  choiceOf,
  type Evidence,
  type FileChoice,
  type FileProposal,
  type HunkPick,
  hunksOf,
  type Proposal,
  textFrom,
  variantsOf,
  type WholeReason,
} from '#overlay'
