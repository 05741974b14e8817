import type { JsonObject } from '../../base/json.ts'

/** The data a person gave with a message: where the agent finds it, and what it is told about it. */
export interface InputNote {
  /** The virtual path below `/inputs/`. */
  readonly path: string
  /** Size and kind in a few words: `3 columns, 120 rows`. */
  readonly about: string
  /** Columns, fields or the beginning of the text; empty for nothing. */
  readonly detail: string
}

const inputStart = 'Input data is in '

/** The part of a message that names an input. It follows the person's text. */
export function formatInputNote({ path, about, detail }: InputNote): string {
  return `\n\n${inputStart}${path} (${about}).${detail === '' ? '' : ` ${detail}`}`
}

const answerStart =
  '\n\nWhen you are done, reply with JSON alone (no prose, no code fence) that fits this JSON Schema:\n'

/** The part of a message that asks for an answer of a certain shape. It follows the person's text. */
export function formatAnswerNote(schema: JsonObject): string {
  return `${answerStart}${JSON.stringify(schema)}`
}

/** A skill that a person asks for, with the path where the agent reads it. */
export interface SkillNote {
  readonly name: string
  readonly file: string
}

const skillStart = '\n\nUse a skill for this: read '

/** The part of a message that asks for a skill. It follows the person's text. */
export function formatSkillNote({ name, file }: SkillNote): string {
  return `${skillStart}${file} and follow it (${JSON.stringify(name)}).`
}

const skillNote = /^(\S+) and follow it \(("[^\n]*")\)\.$/

/** What a command of a file or the prompt of a server says once the person's words are filled in. */
export interface CommandNote {
  /** What the person typed after the slash. */
  readonly name: string
  /** Where it is defined, for people: a path, or the name of a server. */
  readonly source: string
  /** Its lines end with `\n` alone. */
  readonly text: string
}

const commandStart = '\n\nThe command '
/** Everything that some reader takes for the end of a line. */
export const lineEnds = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/

/**
 * The part of a message that says what its command asks for. It follows the person's text. Each line of the command is
 * after a mark that it cannot leave out, so nothing in it looks like another part of the message.
 */
export function formatCommandNote({ name, source, text }: CommandNote): string {
  const lines = text.split(lineEnds).map((line) => `> ${line}`)
  return `${commandStart}${JSON.stringify(`/${name}`)} of ${JSON.stringify(source)} says:\n${lines.join('\n')}`
}

const jsonString = '"(?:[^"\\\\\\n]|\\\\.)*"'
const commandNote = new RegExp(`^(${jsonString}) of (${jsonString}) says:\\n((?:> .*\\n)*> .*)$`)

/** What a person types after the slash to ask for a skill: its name with dashes for what would end a word. */
export function slashNameOf(skill: string): string {
  return skill.trim().replaceAll(/[^\p{L}\p{N}._:-]+/gu, '-')
}

/** The name after a slash at the beginning of a message; null for none. */
export function slashNameIn(text: string): string | null {
  return /^\s*\/([\p{L}\p{N}._:-]+)(?=\s|$)/u.exec(text)?.[1] ?? null
}

/** A message taken apart: what the person typed, and what was added for the agent. */
export interface MessageParts {
  readonly text: string
  /** The JSON Schema of the answer, as text; null for none. */
  readonly answerSchema: string | null
  readonly inputs: readonly InputNote[]
  /** The skill that the person asked for; null for none. */
  readonly skill: SkillNote | null
  /** The command that the person asked for; null for none. */
  readonly command: CommandNote | null
  /** What follows the text about the skill or the command, as it stands in the message; empty for nothing. */
  readonly asked: string
}

const inputNote = /^(\S+) \(([^\n]*?)\)\.(?: |$)/

/** Reads a message that `formatSkillNote` or `formatCommandNote`, `formatAnswerNote` and `formatInputNote` added to. */
export function readMessageNotes(message: string): MessageParts {
  const [first = '', ...parts] = message.split(`\n\n${inputStart}`)
  const read = parts.map((part) => {
    const [head, path, about] = inputNote.exec(part) ?? []
    return head && path && about !== undefined ? { path, about, detail: part.slice(head.length) } : null
  })
  const inputs = read.filter((input) => input !== null)
  // A part that is no note was typed by the person.
  const rest = inputs.length === read.length ? first : message
  const at = rest.lastIndexOf(answerStart)
  return {
    ...splitAsked(at < 0 ? rest : rest.slice(0, at)),
    answerSchema: at < 0 ? null : rest.slice(at + answerStart.length),
    inputs: inputs.length === read.length ? inputs : [],
  }
}

function splitAsked(text: string): Pick<MessageParts, 'text' | 'skill' | 'command' | 'asked'> {
  const at = { skill: text.lastIndexOf(skillStart), command: text.lastIndexOf(commandStart) }
  const [, file, skill] = (at.skill < 0 ? null : skillNote.exec(text.slice(at.skill + skillStart.length))) ?? []
  if (file && skill) return { ...cutAt(text, at.skill), skill: { name: unquote(skill), file }, command: null }
  const [, name, source, lines] =
    (at.command < 0 ? null : commandNote.exec(text.slice(at.command + commandStart.length))) ?? []
  if (name === undefined || source === undefined || lines === undefined)
    return { text, asked: '', skill: null, command: null }
  const said = lines.slice(2).replaceAll('\n> ', '\n')
  const command = { name: unquote(name).replace(/^\//, ''), source: unquote(source), text: said }
  return { ...cutAt(text, at.command), skill: null, command }
}

function cutAt(text: string, at: number): Pick<MessageParts, 'text' | 'asked'> {
  return { text: text.slice(0, at), asked: text.slice(at) }
}

function unquote(name: string): string {
  try {
    return String(JSON.parse(name))
  } catch {
    return name
  }
}
