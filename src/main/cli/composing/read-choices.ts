import type { CompositionFile, CompositionSource } from '#shared/contract/views/compositions.ts'
import {
  choiceOf,
  type Evidence,
  type FileChoice,
  type HunkPick,
  hunksOf,
  textFrom,
} from '#shared/model/compose/composition.ts'
import { UsageError } from '../arguments.ts'

/** A file with what the command line and evidence chose of it. */
export interface ChosenFile {
  readonly file: CompositionFile
  /** One for each hunk. Null for one that is undecided. Empty for a file that is taken as a whole. */
  readonly picks: readonly ChosenPick[]
  /** Null while something is undecided. */
  readonly choice: FileChoice | null
  /** Why a file is taken as a whole as it is. `chosen`: the command line says so. Null for hunks, and when it is undecided. */
  readonly why: Why | null
}

type Why = Evidence | 'chosen'
export type ChosenPick = { readonly pick: HunkPick; readonly why: Why } | null

/** How the command line names what to take: positions of sources by each of their names. */
export interface SourceNames {
  /** Throws `UsageError` for a word that names no source. */
  find(word: string, flag: string): number | null
}

/** The base is null. A source of several with one name is the first of them. */
export function namesOf(sources: readonly CompositionSource[], words: readonly string[]): SourceNames {
  return {
    find(word, flag) {
      if (word === 'base') return null
      const typed = words.indexOf(word)
      const at = typed >= 0 ? typed : sources.findIndex((one) => [one.handle, one.name, one.branchId].includes(word))
      if (at >= 0) return at
      const known = [...words, 'workspace', 'base'].join(', ')
      throw new UsageError(`${flag}: ${word} is none of the branches that are composed: ${known}.`)
    },
  }
}

/** What is chosen of each file: what the command line says, else what evidence speaks for. Throws `UsageError`. */
export function chooseAll(
  files: readonly CompositionFile[],
  given: { readonly take: readonly string[]; readonly hunk: readonly string[] },
  names: SourceNames,
): readonly ChosenFile[] {
  const taken = new Map(given.take.map((text) => readTake(text, files, names)))
  const hunks = given.hunk.map((text) => readHunk(text, files, names))
  return files.map((file) => {
    const whole = taken.get(file)
    const own = hunks.filter((one) => one.file === file)
    if (whole !== undefined && own.length > 0)
      throw new UsageError(`--hunk: ${file.path} is taken as a whole by --take. Leave one of the two out.`)
    if (whole !== undefined) return takeWhole(file, whole.from)
    return own.length > 0 || file.proposal.kind === 'hunks' ? chooseHunks(file, own) : proposeWhole(file)
  })
}

function proposeWhole(file: CompositionFile): ChosenFile {
  const why = file.proposal.kind === 'whole' ? (file.proposal.proposal?.evidence ?? null) : null
  return { file, picks: [], choice: choiceOf(file.proposal), why }
}

/** A text is taken by its hunks, so that the entry names the source of each. */
function takeWhole(file: CompositionFile, from: number | null): ChosenFile {
  const isText = from === null || file.versions.some(({ source, whole }) => source === from && whole === null)
  const hasVersion = from === null || file.versions.some(({ source }) => source === from)
  if (!isText || file.segments.length === 0)
    return { file, picks: [], choice: { kind: 'whole', from: hasVersion ? from : null }, why: 'chosen' }
  const picks = hunksOf(file.segments).map(({ changes }): HunkPick => {
    const isThere = from !== null && changes.some(({ source }) => source === from)
    return { from: isThere ? [from] : [] }
  })
  return {
    file,
    picks: picks.map((pick) => ({ pick, why: 'chosen' })),
    choice: { kind: 'hunks', picks },
    why: null,
  }
}

function chooseHunks(file: CompositionFile, own: readonly GivenHunk[]): ChosenFile {
  const { proposal } = file
  const proposals = proposal.kind === 'hunks' ? proposal.proposals : hunksOf(file.segments).map(() => null)
  const picks = proposals.map((proposed, at): ChosenPick => {
    const given = own.findLast(({ hunk }) => hunk === at)
    if (given) return { pick: given.pick, why: 'chosen' }
    return proposed && { pick: proposed.choice, why: proposed.evidence }
  })
  const decided = picks.flatMap((one) => one?.pick ?? [])
  const choice: FileChoice | null = decided.length === picks.length ? { kind: 'hunks', picks: decided } : null
  return { file, picks, choice, why: null }
}

interface GivenHunk {
  readonly file: CompositionFile
  /** From 0. */
  readonly hunk: number
  readonly pick: HunkPick
}

function readTake(text: string, files: readonly CompositionFile[], names: SourceNames) {
  const [path, word] = splitAt(text, '--take', 'PATH=BRANCH')
  const file = fileOf(path, files, '--take')
  const from = names.find(word, '--take')
  return [file, { from }] as const
}

function readHunk(text: string, files: readonly CompositionFile[], names: SourceNames): GivenHunk {
  const [place, word] = splitAt(text, '--hunk', 'PATH:N=BRANCH')
  const colon = place.lastIndexOf(':')
  const number = Number(place.slice(colon + 1))
  const file = fileOf(place.slice(0, Math.max(0, colon)), files, '--hunk')
  const all = hunksOf(file.segments)
  const hunk = all[number - 1]
  if (hunk === undefined)
    throw new UsageError(
      all.length === 0
        ? `--hunk: ${file.path} has no hunks, so it is taken as a whole: --take ${file.path}=BRANCH.`
        : `--hunk: ${file.path} has hunks 1 to ${all.length}, not ${place.slice(colon + 1)}.`,
    )
  const those = [...new Set(hunk.changes.map(({ source }) => source))]
  const from = word === 'both' ? those : [names.find(word, '--hunk')].filter((source) => source !== null)
  if (textFrom(hunk, from) === null)
    throw new UsageError(`--hunk: the changes of ${file.path}:${number} overlap, so take one of them or the base.`)
  return { file, hunk: number - 1, pick: { from: from.filter((source) => those.includes(source)) } }
}

function splitAt(text: string, flag: string, form: string): readonly [string, string] {
  const at = text.lastIndexOf('=')
  if (at <= 0 || at === text.length - 1) throw new UsageError(`${flag} takes ${form}, not ${text}.`)
  return [text.slice(0, at), text.slice(at + 1)]
}

function fileOf(path: string, files: readonly CompositionFile[], flag: string): CompositionFile {
  const wanted = path.startsWith('/') ? path : `/${path}`
  const file = files.find((one) => one.path === wanted || one.paths.some((known) => known === wanted))
  if (!file) throw new UsageError(`${flag}: no branch changed ${wanted}, or it is in the result already.`)
  return file
}
