import { latestVersion, type Memory } from '#shared/model/memory.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** What the project or the user tells every agent, read from a file. */
export interface Instructions {
  readonly file: string
  readonly text: string
}

/** Know-how that is read when it is needed: the model sees the name and the description, the rest is in the file. */
export interface Skill {
  readonly name: string
  readonly description: string
  readonly file: VirtualPath
  /** Its files where they are not the project's: what is put beside the project for the agents of a thread. */
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
