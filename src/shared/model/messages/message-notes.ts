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
}

const inputNote = /^(\S+) \(([^\n]*?)\)\.(?: |$)/

/** Reads a message that `formatSkillNote`, `formatAnswerNote` and `formatInputNote` added to. */
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
    ...splitSkill(at < 0 ? rest : rest.slice(0, at)),
    answerSchema: at < 0 ? null : rest.slice(at + answerStart.length),
    inputs: inputs.length === read.length ? inputs : [],
  }
}

function splitSkill(text: string): Pick<MessageParts, 'text' | 'skill'> {
  const at = text.lastIndexOf(skillStart)
  const [, file, name] = (at < 0 ? null : skillNote.exec(text.slice(at + skillStart.length))) ?? []
  return file && name ? { text: text.slice(0, at), skill: { name: unquote(name), file } } : { text, skill: null }
}

function unquote(name: string): string {
  try {
    return String(JSON.parse(name))
  } catch {
    return name
  }
}
