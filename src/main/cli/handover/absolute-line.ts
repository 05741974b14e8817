import { resolve } from 'node:path'
import type { CommandLine } from '../arguments.ts'
import { flagsOf, verbOf } from '../grammar/verbs.ts'

/** The arguments of a command line with every path made absolute, for a process that works in another folder. */
export function absoluteLine(line: CommandLine, folder: string): readonly string[] {
  const verb = verbOf(line.command)
  const flags = flagsOf(verb).flatMap(({ name, value, isList }) => {
    if (value === null) return line.flag(name) ? [`--${name}`] : []
    const given = isList ? line.texts(name) : [line.text(name) ?? []].flat()
    const isPath = value.kind === 'file' || value.kind === 'folder'
    return given.map((text) => `--${name}=${isPath || name === 'task' ? absolute(text, folder, isPath) : text}`)
  })
  const words = line.positionals.map((word, index) =>
    verb.positionals[Math.min(index, verb.positionals.length - 1)]?.kind === 'folder' ? resolve(folder, word) : word,
  )
  const here = line.command === 'import' && line.text('folder') === undefined ? [`--folder=${folder}`] : []
  return [...line.command.split(' '), ...flags, ...here, '--', ...words, ...(isHere(line) ? [folder] : [])]
}

/** True for a line that means the folder it is typed in. */
function isHere({ command, positionals, flag }: CommandLine): boolean {
  const { positionals: words } = verbOf(command)
  const isLeftOut = words.at(-1)?.kind === 'folder' && positionals.length === words.length - 1
  return isLeftOut && !(command === 'run' && flag('empty'))
}

/** A dash is standard input or output. A task may be in a file, after an @. */
function absolute(text: string, folder: string, isPath: boolean): string {
  if (text === '-') return text
  if (isPath) return resolve(folder, text)
  return text.startsWith('@') ? `@${resolve(folder, text.slice(1))}` : text
}
