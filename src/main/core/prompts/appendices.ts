import { latestVersion, type Memory } from '#shared/model/memory.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** Instructions of the project or the user for every agent, read from a file. */
export interface Instructions {
  /** For the model and for people: a path or a file name. */
  readonly file: string
  /** Markdown, word for word. */
  readonly text: string
}

/** Know-how that is read when it is needed: the model sees the name and the description, the rest is in the file. */
export interface Skill {
  /** As the skill itself gives it, in one line. */
  readonly name: string
  /** The model reads it to decide when to use the skill. */
  readonly description: string
  /** The path that the model reads the skill by. */
  readonly file: VirtualPath
  /** Copies of its files, put beside the project for a thread. Empty when the project itself holds them. */
  readonly attached: readonly { readonly path: VirtualPath; readonly text: string }[]
}

/** The project's and the user's own words, each under the name of its file. */
export function instructionsText(files: readonly Instructions[]): string {
  return files.map(({ file, text }) => `# Instructions of the project (${file})\n\n${text.trim()}`).join('\n\n')
}

/** Names and descriptions only: a skill is read when it is used. */
export function skillsIndex(skills: readonly Skill[]): string {
  if (skills.length === 0) return ''
  const lines = skills.map(({ name, description, file }) => `- ${name}: ${description} (${file})`)
  return `# Skills\nKnow-how for particular tasks. When one fits, read its file before you start and follow it.\n${lines.join('\n')}`
}

const namedMemories = 50

/** The files that are there, the newest first; what is in them is read when it may bear on the task. */
export function memoryIndex(prefix: string, files: readonly Memory[]): string {
  if (files.length === 0) return ''
  const newest = files.toSorted((a, b) => latestVersion(b).sequence - latestVersion(a).sequence)
  const lines = newest.slice(0, namedMemories).map(({ name, text }) => `- ${prefix}${name}: ${firstLine(text ?? '')}`)
  const left = files.length - lines.length
  return ['# Memories', ...lines, ...(left > 0 ? [`- and ${left} more; use ls`] : [])].join('\n')
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > 100 ? `${line.slice(0, 99)}…` : line
}
