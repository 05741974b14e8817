import { baseName, betweenNames, betweenWords, isKnown, unknownText } from './command-words.ts'
import type { Mention, NamedCommand } from './read-commands.ts'
import { plainCommands, type Words } from './shell-line.ts'

/**
 * The patterns that allow the commands of the line, in order and without duplicates. Undefined when one command fits no
 * pattern, or when the line is more than a list of simple commands.
 */
export function allowsCommand(patterns: readonly string[], line: string): readonly string[] | undefined {
  const compiled = patterns.map((pattern) => ({ pattern, fits: compilePattern(pattern) }))
  const matched = plainCommands(line)?.map((words) => {
    const commands = [words, withoutLimits(words)].map(certainCommand)
    return compiled.find(({ fits }) => commands.some((command) => fits(command) === 'yes'))?.pattern
  })
  if (!matched?.every((pattern) => pattern !== undefined)) return undefined
  return [...new Set(matched)]
}

/** Whether commands fit a pattern. `maybe` when that depends on what only the shell, or a program, knows. */
export type Fit = 'yes' | 'maybe' | 'no'

/** Whether any of the commands fits the pattern. */
export function namesCommand(pattern: string, commands: readonly NamedCommand[]): Fit {
  const fits = compilePattern(pattern)
  let answer: Fit = 'no'
  for (const command of commands) {
    const fit = fits(command)
    if (fit === 'yes') return fit
    if (fit === 'maybe') answer = fit
  }
  return answer
}

/**
 * Why a program may run what the pattern names, although its name is not at the place of a command: `git grep -Orm x`.
 * Undefined when no program gets the name. The other words may stand anywhere, because the program arranges them.
 */
export function mentionsCommand(pattern: string, mentions: readonly Mention[]): string | undefined {
  const [first = '', ...rest] = pattern.trim().replace(/:\*$/, ' *').split(/\s+/)
  const [start = '', ...more] = (first.includes('*') ? first : baseName(first)).split('*')
  const name = start.split(betweenNames).at(-1) ?? ''
  const parts = rest.flatMap((word) => word.split('*'))
  const mention = mentions.find(
    ({ words }) =>
      words.some((word) => namesProgram(word, name, more.length > 0)) &&
      (!words.every(isKnown) || parts.every((part) => words.some((word) => word.includes(part)))),
  )
  return mention && `names ${first}, and ${mention.by} may run it`
}

/** True when a word is a program's name, with or without a folder, or behind short options: `-xIrm`. */
function namesProgram(word: string, name: string, isOpen: boolean): boolean {
  const candidates = [baseName(word)]
  if (/^-[^-]/.test(word)) candidates.push(...[1, 2, 3, 4].map((at) => baseName(word.slice(at))))
  return candidates.some((candidate) => {
    const [start = '', ...others] = candidate.split(unknownText)
    const end = others.at(-1)
    if (end === undefined) return isOpen ? candidate.startsWith(name) : candidate === name
    // What is only computed names nothing.
    if (start === '' && end === '') return false
    if (isOpen) return start.startsWith(name) || name.startsWith(start)
    return name.startsWith(start) && name.endsWith(end) && start.length + end.length <= name.length
  })
}

/** The command that has exactly these words. */
function certainCommand(words: Words): NamedCommand {
  return { text: words.join(betweenWords), starts: [0], openStarts: [0], isCertain: true }
}

/**
 * `npm run *` fits `npm run` and `npm run test`, but not `npm runx`. A star inside stands for any words. Claude Code's
 * form `npm run:*` means the same. Words stay separate, so a quoted space cannot make one word look like two.
 *
 * Nothing is tried twice: of the places where the first part fits, the first one leaves the most for the stars.
 */
function compilePattern(pattern: string): (command: NamedCommand) => Fit {
  const text = pattern.trim().replace(/:\*$/, ' *')
  const isOpen = text.endsWith(' *')
  const fixed = isOpen ? text.slice(0, -2) : text
  const [first = '', ...rest] = fixed.trim().split(/\s+/).join(betweenWords).split('*')
  const last = rest.pop()

  /** True when a part that ends at `end` may be the last one. */
  function isEnd(words: string, end: number): boolean {
    return end === words.length || (isOpen && words[end] === betweenWords)
  }

  function fitsRest(words: string, start: number): boolean {
    let from = start + first.length
    if (last === undefined) return isEnd(words, from)
    for (const part of rest) {
      const at = words.indexOf(part, from)
      if (at < 0) return false
      from = at + part.length
    }
    if (words.endsWith(last) && words.length - last.length >= from) return true
    if (!isOpen) return false
    return words.indexOf(last + betweenWords, from) >= 0
  }

  return ({ text: words, starts, openStarts, isCertain }) => {
    const begins = (start: number): boolean => words.startsWith(first, start)
    const found =
      last === undefined
        ? starts.some((start) => begins(start) && fitsRest(words, start))
        : [starts.find(begins)].some((start) => start !== undefined && fitsRest(words, start))
    if (found) return isCertain ? 'yes' : 'maybe'
    if (!words.includes(unknownText)) return 'no'
    const isWhole = last === undefined && !isOpen
    const mayFit = (start: number): boolean => mayBegin(words, start, first, isWhole)
    return openStarts.some(mayFit) || starts.some((start) => words[start] !== unknownText && mayFit(start))
      ? 'maybe'
      : 'no'
  }
}

/** True when the words before the first unknown text agree with the first part of a pattern. */
function mayBegin(words: string, start: number, first: string, isWhole: boolean): boolean {
  const length = words.slice(start, start + first.length + 1).indexOf(unknownText)
  if (length >= 0) return words.startsWith(first.slice(0, length), start)
  return !isWhole && start <= words.lastIndexOf(unknownText) && words.startsWith(first, start)
}

/** The command behind a wrapper such as `timeout 60` or `nice`. */
export function withoutLimits(words: Words): Words {
  let at = 0
  for (;;) {
    const [name, first, second] = [words[at], words[at + 1] ?? '', words[at + 2] ?? '']
    if (name === 'timeout' && /^\d+(\.\d+)?[smhd]?$/.test(first)) at += 2
    else if (name === 'nice' && first === '-n' && /^-?\d+$/.test(second)) at += 3
    else return at === 0 ? words : words.slice(at)
  }
}
