import { commonFlags } from './grammar/flags.ts'
import { type VerbName, verbAt, verbOf, verbs } from './grammar/verbs.ts'
import type { FlagWord, ValueWord, VerbWords } from './grammar/words.ts'

const width = 100

/** What `--help` prints for a verb, or for none. */
export function helpFor(verb: VerbName | undefined): string {
  return verb === undefined ? generalHelp() : verbHelp(verbOf(verb))
}

/** What `--help` in a command line prints: about its verb, if it begins with one. */
export function helpOf(args: readonly string[]): string {
  return helpFor(verbAt(args))
}

/** How a verb is called: `coppice diff THREAD [BRANCH] [flags]`. */
export function usageOf({ name, positionals, required, isLastRepeated, flags }: VerbWords): string {
  const words = positionals.map(({ placeholder, choices, kind }, index) => {
    const word = kind === 'choice' && choices ? choices.join('|') : placeholder
    const repeated = isLastRepeated && index === positionals.length - 1 ? `${word}…` : word
    return index < required ? repeated : `[${repeated}]`
  })
  const called = name === 'open' ? '[open]' : name
  return ['coppice', called, ...words, ...(flags.length > 0 ? ['[flags]'] : [])].join(' ')
}

/** `--paths PATH`, or `-h, --help`. */
export function flagHead({ name, short, value }: FlagWord): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === null ? '' : ` ${placeholderOf(value)}`}`
}

function placeholderOf({ kind, choices, placeholder }: ValueWord): string {
  return kind === 'choice' && choices && choices.length < 3 ? choices.join('|') : placeholder
}

function generalHelp(): string {
  const lines = verbs.map((verb) => [usageOf(verb).replace(' [flags]', ''), verb.summary] as const)
  return [
    'Coppice lets an AI agent work on a project folder without touching it.',
    '',
    'Usage:',
    ...columns(lines),
    '',
    'Flags of every verb:',
    ...columns(commonFlags.map((flag) => [flagHead(flag), flag.about] as const)),
    '',
    'THREAD is an id, the beginning of one, or "last". "coppice VERB --help" tells more.',
  ].join('\n')
}

function verbHelp(verb: VerbWords): string {
  const sections: (readonly string[])[] = [
    [`Usage: ${usageOf(verb)}`],
    ...verb.about.map((paragraph) => wrap(paragraph, width)),
    verb.flags.length === 0 ? [] : columns(verb.flags.map((flag) => [flagHead(flag), flag.about] as const)),
    ['Examples:', ...columns(verb.examples.map(({ line, about }) => [line, about] as const))],
    [`Exit codes: ${exitsOf(verb)}`],
  ]
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')
}

/** The exit codes of a verb in one line. */
function exitsOf({ exits }: VerbWords): string {
  return Object.entries(exits)
    .map(([code, meaning]) => `${code} ${meaning}`)
    .join(' · ')
}

const widestHead = 34

/** Two columns. A head that is too long stands on a line of its own. */
function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const indent = Math.min(widestHead, Math.max(...rows.map(([head]) => head.length))) + 4
  return rows.flatMap(([head, text]) => {
    const [first = '', ...rest] = wrap(text, width - indent)
    const below = rest.map((line) => `${' '.repeat(indent)}${line}`)
    return head.length + 4 > indent
      ? [`  ${head}`, `${' '.repeat(indent)}${first}`, ...below]
      : [`  ${head.padEnd(indent - 2)}${first}`, ...below]
  })
}

/** Breaks a text of narrow characters between words. */
function wrap(text: string, columnsLeft: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= columnsLeft) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
