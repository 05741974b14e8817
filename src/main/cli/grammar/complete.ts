import { flagsOf, lengthOf, verbAt, verbOf, verbs } from './verbs.ts'
import type { FlagWord, ValueKind, ValueWord, VerbWords } from './words.ts'

/** A word that a shell may propose. */
export interface Proposal {
  readonly word: string
  readonly about: string
}

/** What fits at the end of a command line. */
export interface Completion {
  readonly proposals: readonly Proposal[]
  /** What has to be looked up, or is left to the shell: the value that is typed now. Null for none. */
  readonly wanted: Exclude<ValueKind, 'choice' | 'text'> | null
  /** The arguments before the typed word, without the verb and flags. */
  readonly positionals: readonly string[]
  /** The value of `--data-dir`, for the look-up. Null when it was not given. */
  readonly dataFolder: string | null
}

/** Completes the last word of a command line. `words` are those after `coppice`; the last one may be empty. */
export function completeWords(words: readonly string[]): Completion {
  const before = words.slice(0, -1)
  const typed = words.at(-1) ?? ''
  const name = verbAt(before)
  if (before.length === 0 && !typed.startsWith('-')) return completeFirst(typed)
  const verb = verbOf(name ?? 'open')
  const { positionals, open, dataFolder } = readWords(verb, name ? before.slice(lengthOf(name)) : before)
  const more = before.length === 1 ? verbs.filter((one) => one.name.startsWith(`${name} `)).map(proposeSecond) : []
  const found = (value: ValueWord | null, flags: readonly FlagWord[]): Completion => ({
    proposals: [...more, ...choicesOf(value), ...flags.map(proposeFlag)].filter(({ word }) => word.startsWith(typed)),
    wanted: value === null || value.kind === 'choice' || value.kind === 'text' ? null : value.kind,
    positionals,
    dataFolder,
  })
  if (open) return found(open.value, [])
  if (typed.startsWith('-')) return found(null, flagsOf(verb))
  const index = Math.min(
    positionals.length,
    verb.isLastRepeated ? verb.positionals.length - 1 : Number.MAX_SAFE_INTEGER,
  )
  return found(verb.positionals[index] ?? null, [])
}

function completeFirst(typed: string): Completion {
  const proposals = verbs
    .filter(({ name }) => lengthOf(name) === 1)
    .map(({ name, summary }) => ({ word: name, about: summary }))
  const fitting = proposals.filter(({ word }) => word.startsWith(typed))
  return { proposals: fitting, wanted: fitting.length === 0 ? 'folder' : null, positionals: [], dataFolder: null }
}

function proposeSecond({ name, summary }: VerbWords): Proposal {
  return { word: name.split(' ')[1] ?? '', about: summary }
}

function proposeFlag({ name, about }: FlagWord): Proposal {
  return { word: `--${name}`, about: about.split(/[:;]/, 1)[0] ?? '' }
}

function choicesOf(value: ValueWord | null): readonly Proposal[] {
  return (value?.choices ?? []).map((word) => ({ word, about: '' }))
}

/** The positionals of a line, and the flag whose value is typed now. */
function readWords(verb: VerbWords, words: readonly string[]) {
  const positionals: string[] = []
  let open: FlagWord | null = null
  let dataFolder: string | null = null
  for (const word of words) {
    if (open) {
      if (open.name === 'data-dir') dataFolder = word
      open = null
    } else if (word.startsWith('--data-dir=')) dataFolder = word.slice('--data-dir='.length)
    else if (word.startsWith('-'))
      open = flagsOf(verb).find((flag) => flag.value !== null && `--${flag.name}` === word) ?? null
    else positionals.push(word)
  }
  return { positionals, open, dataFolder }
}
