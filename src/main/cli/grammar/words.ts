/** What a shell completes for a value, and what the value means. */
export type ValueKind = 'file' | 'folder' | 'thread' | 'branch' | 'checkpoint' | 'choice' | 'text'

/** The value of a flag, or an argument without a flag. */
export interface ValueWord {
  /** How help names it: `FILE`. */
  readonly placeholder: string
  readonly kind: ValueKind
  /** The possible values of the kind `choice`; for other kinds, values that a shell proposes besides. */
  readonly choices?: readonly string[]
}

/** A flag of one or more verbs. */
export interface FlagWord {
  /** Without the dashes. */
  readonly name: string
  /** One letter, for a single dash. */
  readonly short?: string
  /** Null for a switch. */
  readonly value: ValueWord | null
  /** May be given several times, or list several values with commas. */
  readonly isList?: true
  /** A value of the list may hold commas, so it is only repeated. */
  readonly isWhole?: true
  /** What it does, for help. Without a full stop. */
  readonly about: string
}

/** A line to type, and what it does. */
export interface Example {
  readonly line: string
  readonly about: string
}

/** One verb of the command line. The parser, help, the manual and completions are made of this. */
export interface VerbWords {
  readonly name: string
  /** For the list of verbs. */
  readonly summary: string
  /** What it does, as paragraphs. */
  readonly about: readonly string[]
  readonly positionals: readonly ValueWord[]
  /** How many of the positionals must be given. */
  readonly required: number
  /** The last positional may be given several times. */
  readonly isLastRepeated?: true
  readonly flags: readonly FlagWord[]
  readonly examples: readonly Example[]
  /** What its exit codes mean, by code. */
  readonly exits: Readonly<Record<number, string>>
}

export const folderWord: ValueWord = { placeholder: 'FOLDER', kind: 'folder' }
export const threadWord: ValueWord = { placeholder: 'THREAD', kind: 'thread', choices: ['last'] }
export const branchWord: ValueWord = { placeholder: 'BRANCH', kind: 'branch' }
const fileWord: ValueWord = { placeholder: 'FILE', kind: 'file' }

/** A switch. */
export function flagOf(name: string, about: string, short?: string): FlagWord {
  return { name, value: null, about, ...(short !== undefined && { short }) }
}

/** A flag that takes some text. */
export function textFlag(name: string, placeholder: string, about: string): FlagWord {
  return { name, value: { placeholder, kind: 'text' }, about }
}

/** A flag that takes the name of a file. */
export function fileFlag(name: string, about: string): FlagWord {
  return { name, value: fileWord, about }
}

/** A flag that takes one of some words. */
export function choiceFlag(name: string, placeholder: string, choices: readonly string[], about: string): FlagWord {
  return { name, value: { placeholder, kind: 'choice', choices }, about }
}

/** A flag that may be repeated. */
export function listFlag(name: string, value: ValueWord, about: string): FlagWord {
  return { name, value, about, isList: true }
}
