import { namedCommands, plainCommands, type Words } from './shell-line.ts'

/**
 * The patterns that allow the commands of the line, in order and without duplicates. Undefined when one command fits no
 * pattern, or when the line is more than a list of simple commands.
 */
export function allowsCommand(patterns: readonly string[], line: string): readonly string[] | undefined {
  const matched = plainCommands(line)?.map((words) => patterns.find((pattern) => fits(pattern, words)))
  if (!matched?.every((pattern) => pattern !== undefined)) return undefined
  return [...new Set(matched)]
}

/** True when any command that the line names fits the pattern. */
export function namesCommand(pattern: string, line: string): boolean {
  return namedCommands(line).some((words) => fits(pattern, words))
}

/**
 * `npm run *` fits `npm run` and `npm run test`, but not `npm runx`. A star inside stands for any words. Claude Code's
 * form `npm run:*` means the same. Words stay separate, so a quoted space cannot make one word look like two.
 */
function fits(pattern: string, words: Words): boolean {
  const expression = expressionOf(pattern)
  return expression.test(joinWords(words)) || expression.test(joinWords(withoutLimits(words)))
}

const between = '\u0000'

function joinWords(words: Words): string {
  return words.join(between)
}

function expressionOf(pattern: string): RegExp {
  const text = pattern.trim().replace(/:\*$/, ' *')
  const [open, fixed] = text.endsWith(' *') ? [`(${between}.*)?`, text.slice(0, -2)] : ['', text]
  const words = fixed.split(/\s+/).map((word) => word.split('*').map(escapeRegex).join('.*'))
  return new RegExp(`^${words.join(between)}${open}$`, 's')
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** The command behind a wrapper such as `timeout 60` or `nice`. */
export function withoutLimits(words: Words): Words {
  const [name, first, second] = words
  if (name === 'timeout' && /^\d+(\.\d+)?[smhd]?$/.test(first ?? '')) return withoutLimits(words.slice(2))
  if (name === 'nice' && first === '-n' && /^-?\d+$/.test(second ?? '')) return withoutLimits(words.slice(3))
  return words
}
