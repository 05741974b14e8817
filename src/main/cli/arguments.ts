import { existsSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { shellWord } from '#shared/text/control-characters.ts'
import { nearestName } from '#shared/text/nearest-name.ts'
import { firstWords, flagsOf, lengthOf, type VerbName, verbAt, verbOf } from './grammar/verbs.ts'
import type { VerbWords } from './grammar/words.ts'

/** A wrong command line. The process exits with code 2, the message and a pointer to `--help`. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

type Options = NonNullable<ParseArgsConfig['options']>

/** The options of a verb as the parser takes them, from the table of words. */
function optionsOf(verb: VerbWords): Options {
  return Object.fromEntries(
    flagsOf(verb).map(({ name, short, value, isList }) => [
      name,
      {
        type: value === null ? ('boolean' as const) : ('string' as const),
        ...(short !== undefined && { short }),
        ...(isList && { multiple: true }),
      },
    ]),
  )
}

export interface CommandLine {
  readonly command: VerbName
  readonly positionals: readonly string[]
  readonly text: (name: string) => string | undefined
  /** The values of a flag that may be repeated or, unless a value may hold one, list several with commas. */
  readonly texts: (name: string) => readonly string[]
  readonly flag: (name: string) => boolean
}

/**
 * An error for a word that is neither a command nor a folder, with the nearest command. Null for anything else, such as
 * a path, which has errors of its own.
 */
function unknownWordProblem(word: string, exists: (path: string) => boolean): string | null {
  if (!/^[\w-]+$/.test(word) || exists(word)) return null
  const nearest = nearestName(word, firstWords)
  const hint = nearest ? `Did you mean "coppice ${nearest}"?` : `Commands: ${firstWords.join(', ')}.`
  return `"${word}" is neither a command nor a folder here. ${hint}`
}

/** Parses a command line. Without a command it is `open`. Throws `UsageError`. */
export function readCommandLine(args: readonly string[], exists: (path: string) => boolean = existsSync): CommandLine {
  const [first] = args
  const command = verbAt(args)
  const refuseUnknown = (word: string | undefined) => {
    const problem = command || word === undefined ? null : unknownWordProblem(word, exists)
    if (problem !== null) throw new UsageError(problem)
  }
  // Before the flags: those of a mistyped command are not wrong, the word is.
  if (!first?.startsWith('-') && !args.includes('--help')) refuseUnknown(first)
  const rest = command ? args.slice(lengthOf(command)) : args
  const verb = verbOf(command ?? 'open')
  const allowed = verb.isLastRepeated ? Number.POSITIVE_INFINITY : verb.positionals.length
  const parsed = parseStrictly(command ?? 'open', rest, optionsOf(verb))
  if (parsed.positionals.length > allowed) {
    const extra = parsed.positionals[verb.positionals.length]
    throw new UsageError(
      command
        ? `Too many arguments: "${extra}".`
        : `"${first}" is not a command, and "${extra}" is one argument too many. Commands: ${firstWords.join(', ')}.`,
    )
  }
  const values: Readonly<Record<string, unknown>> = parsed.values
  if (!values.help && !values.version) refuseUnknown(parsed.positionals[0])
  // An empty task has its own message.
  const empty = Object.keys(values).find((name) => values[name] === '' && name !== 'task')
  if (empty !== undefined) throw new UsageError(`--${empty} needs a value.`)
  return {
    command: command ?? 'open',
    positionals: parsed.positionals,
    text: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
    texts(name) {
      const given = [values[name] ?? []].flat().map(String)
      const isWhole = flagsOf(verb).some((flag) => flag.name === name && flag.isWhole)
      return isWhole ? given : given.flatMap((value) => value.split(',').map((one) => one.trim()))
    },
    flag: (name) => values[name] === true,
  }
}

function parseStrictly(command: VerbName, args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(`${command}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Parses a whole number within bounds. Throws a `UsageError` that names the flag. */
export function numberOf(
  line: CommandLine,
  name: string,
  bounds: { readonly min: number; readonly max: number },
): number | undefined {
  const given = line.text(name)
  if (given === undefined) return undefined
  const number = Number(given)
  if (!Number.isInteger(number) || number < bounds.min || number > bounds.max) {
    throw new UsageError(`--${name} takes a whole number from ${bounds.min} to ${bounds.max}, not "${given}".`)
  }
  return number
}

/** The value of a flag that takes one of some words. `otherwise` without the flag. Throws `UsageError` for another word. */
export function choiceOf<Choice extends string, Otherwise extends Choice | undefined>(
  line: CommandLine,
  name: string,
  choices: readonly Choice[],
  otherwise: Otherwise,
): Choice | Otherwise {
  const given = line.text(name)
  if (given === undefined) return otherwise
  const choice = choices.find((one) => one === given)
  if (choice === undefined) throw new UsageError(`--${name} takes ${choices.join(', ')}, not "${given}".`)
  return choice
}

/** The flags that said where threads are, to be repeated in a command that a person may type next: ` --data-dir here`. */
export function placeFlags(line: Pick<CommandLine, 'text'>): string {
  return ['data-dir', 'settings']
    .flatMap((name) => {
      const value = line.text(name)
      return value === undefined ? [] : [` --${name} ${shellWord(value)}`]
    })
    .join('')
}
