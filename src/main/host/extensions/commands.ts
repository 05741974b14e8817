import { windowCommands } from '#shared/model/messages/built-in-commands.ts'
import { slashNameOf } from '#shared/model/messages/message-notes.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import type { CommandFile, CommandFiles } from './command-files.ts'
import { type ExtensionProblem, readFrontMatter } from './front-matter.ts'
import { mostBytes } from './project-text.ts'
import { limitKeys, type RunLimits, readLimits } from './run-limits.ts'

/** A command that a file defines. */
export interface FoundCommand extends RunLimits {
  /** What a person types after the slash: `frontend:component` for a file in a folder. */
  readonly name: string
  readonly description: string
  /** What may follow the name, such as `[file]`; empty for nothing in particular. */
  readonly hint: string
  /** The path that people see. */
  readonly source: string
  /** What the agent is told, before a person's words are filled in. */
  readonly body: string
  readonly unknownKeys: readonly string[]
}

export interface Commands {
  readonly commands: readonly FoundCommand[]
  readonly problems: readonly ExtensionProblem[]
}

const knownKeys = ['name', 'description', 'argument-hint', ...limitKeys]
/** Characters of a description, or of a hint. */
const mostShown = 300

/** Reads the definitions in files. Each file that cannot be used is a problem, and the others count. */
export function commandsIn({ files, left }: CommandFiles): Commands {
  const read = files.map(commandIn)
  const last = files.at(-1)
  return {
    commands: read.flatMap(({ command }) => command ?? []),
    problems: [
      ...read.flatMap(({ problems }) => problems),
      ...(left === 0 || last === undefined
        ? []
        : [
            {
              file: last.source,
              line: null,
              message: `It is the last command that is read. ${left} more are left out.`,
            },
          ]),
    ],
  }
}

interface ReadCommand {
  readonly command?: FoundCommand
  readonly problems: readonly ExtensionProblem[]
}

function commandIn({ source, names, read }: CommandFile): ReadCommand {
  const refuse = (message: string, line: number | null = null): ReadCommand => ({
    problems: [{ file: source, line, message }],
  })
  if (read === undefined)
    return refuse('It cannot be read: it leads out of the project, holds secrets, or you may not read it.')
  if (read.isCut)
    return refuse(`It is larger than ${mostBytes / 1024} KB. Move a part of it into a file that it names with @.`)
  if (read.text.includes('\0')) return refuse('It is not text.')
  const matter = readMatter(source, read.text)
  if ('message' in matter) return { problems: [matter] }
  const { data, body } = matter
  if (body.trim() === '') return refuse('It says nothing to the agent. Write what to do below the front matter.')
  const name = names.map(slashNameOf).join(':')
  if (names.some((one) => slashNameOf(one) === '')) return refuse('Its name is empty. Give it one.')
  if ((windowCommands as readonly string[]).includes(name))
    return refuse(`/${name} is a command of Coppice itself. Give the file another name.`)
  const limits = readLimits(source, data)
  if ('message' in limits) return { problems: [limits] }
  const description = typeof data.description === 'string' ? data.description : (firstLine(body) ?? '')
  return {
    command: {
      ...{ name, source, body, ...limits.limits },
      description: shownIn(description),
      hint: typeof data['argument-hint'] === 'string' ? shownIn(data['argument-hint']) : '',
      unknownKeys: Object.keys(data).filter((key) => !knownKeys.includes(key)),
    },
    problems: limits.unused.map(({ key, because }) => ({
      ...{ file: source, line: null, message: `${key} is not used: ${because}.` },
    })),
  }
}

/** A text of a file as one line that fits a list. */
function shownIn(text: string): string {
  return beginningOf(oneLine(text), mostShown)
}

/** A command needs no front matter. What begins like one must be one. */
function readMatter(source: string, text: string): ReturnType<typeof readFrontMatter> {
  if (!/^\uFEFF?---[ \t]*\r?\n/.test(text)) return { data: {}, body: text }
  const empty = /^\uFEFF?---[ \t]*\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)
  return empty ? { data: {}, body: text.slice(empty[0].length) } : readFrontMatter(source, text)
}

function firstLine(body: string): string | undefined {
  return body
    .split('\n')
    .map((line) => line.replace(/^#+\s*/, '').trim())
    .find((line) => line !== '')
}
