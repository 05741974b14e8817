import type { AndOr, Command, Redirection, Statement, Word } from 'unbash'
import { findOddCharacters } from '#shared/text/odd-characters.ts'
import { parseLine } from './parse-line.ts'

/** A command and its arguments as the shell would pass them on, without quotes. */
export type Words = readonly string[]

/**
 * The commands of a line that is only a list of simple commands: words without expansion, joined by `;`, `&&`, `||`,
 * `|` or line breaks. Null for every other line, because only a shell can tell what it runs.
 */
export function plainCommands(line: string): readonly Words[] | null {
  const script = parseLine(line)
  if (script === null || script.errors?.length || isOdd(line) || script.commands.length === 0) return null
  const lists = script.commands.map(plainStatement)
  return lists.every((list) => list !== null) ? lists.flat() : null
}

function plainStatement({ command, background }: Statement): readonly Words[] | null {
  return background ? null : plainNode(command)
}

function plainNode(node: Statement['command'] | AndOr['commands'][number]): readonly Words[] | null {
  switch (node.type) {
    case 'Command':
      return plainCommand(node)
    case 'AndOr':
    case 'Pipeline': {
      const lists = node.commands.map(plainNode)
      return lists.every((list) => list !== null) ? lists.flat() : null
    }
    default:
      return null
  }
}

function plainCommand({ name, prefix, args, redirects }: Command): readonly [Words] | null {
  const assigned = prefix.flatMap((part) => (part.type === 'Assignment' ? [part] : []))
  const harmless = assigned.every((part) => harmlessVariables.test(part.name) && isLiteral(part.value) && !part.append)
  if (!name || !isLiteral(name) || !harmless || !redirects.every(staysInside)) return null
  const words = args.flatMap((part) => (isLiteral(part) ? [part.value] : []))
  return words.length === args.length ? [[name.value, ...words]] : null
}

/** Variables that change the output of a command, but not what it runs. */
const harmlessVariables = /^(CI|COLUMNS|FORCE_COLOR|LANG|LC_[A-Z]+|LINES|NODE_ENV|NO_COLOR|TERM|TZ)$/

/** True for a redirection that writes no file: discarded output and joined descriptors. */
function staysInside(redirect: Redirection): boolean {
  if (redirect.type !== 'Redirect' || !redirect.target || redirect.descriptor?.type === 'FileDescriptorVariable')
    return false
  const { operator, target } = redirect
  if (!isLiteral(target)) return false
  return operator === '>&' || operator === '<&'
    ? /^\d$/.test(target.value)
    : operator !== '<>' && target.value === '/dev/null'
}

const quotes: ReadonlySet<string> = new Set(['Literal', 'SingleQuoted'])

/** True for a word that stands for exactly its text: no expansion, no pattern, no home folder. */
function isLiteral(word: { readonly type: string }): word is Word {
  if (word.type !== 'Word') return false
  const { text, parts } = word as Word
  if (/^~|[:=]~/.test(text)) return false
  return (parts ?? []).every((part) =>
    part.type === 'DoubleQuoted' ? part.parts.every(({ type }) => type === 'Literal') : quotes.has(part.type),
  )
}

/** True for characters that could hide the effect of a line from its reader, such as controls and letters in disguise. */
function isOdd(line: string): boolean {
  return line.includes('\\\n') || findOddCharacters(line).length > 0
}
