import { type Dirent, readdirSync } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { textIfReadable } from '#adapters/system/read-bounded.ts'
import type { Skill } from '#core/prompts/appendices.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { type ExtensionProblem, readFrontMatter } from './front-matter.ts'
import { mostDefinitions, namesIn, type ProjectFiles, projectText, tooMany } from './project-text.ts'
import { limitKeys, type RunLimits, readLimits } from './run-limits.ts'

export interface FoundSkill extends RunLimits {
  readonly name: string
  readonly description: string
  /** What may follow its name after a slash; empty for nothing in particular. */
  readonly hint: string
  /** What it needs to work, in its author's words; empty for nothing. */
  readonly compatibility: string
  /** Who may ask for it: agents know of it, and a person can name it after a slash. */
  readonly isFor: { readonly agents: boolean; readonly person: boolean }
  /** The path that people see. */
  readonly source: string
  /** The project path that agents read. Null for a user's skill, whose files agents get beside the project. */
  readonly file: VirtualPath | null
  readonly folder: string
  readonly unknownKeys: readonly string[]
}

export interface Skills {
  readonly skills: readonly FoundSkill[]
  readonly problems: readonly ExtensionProblem[]
}

const projectFolders = ['.agents/skills', '.claude/skills']
const skillFile = 'SKILL.md'
/** Those that say something about a skill to people are used in so far as nothing else is meant by them. */
const knownKeys = [
  ...['name', 'description', 'license', 'compatibility', 'metadata', 'argument-hint', ...limitKeys],
  ...['disable-model-invocation', 'user-invocable'],
]

/**
 * What was made of the text of each file before. Skills are looked for several times before each run, and hundreds of them
 * are as they were.
 */
export type KnownSkills = Map<string, { readonly text: string; readonly made: FoundSkill | ExtensionProblem }>

/** The skills of all folders of the project, those of the first one first. */
export async function projectSkills(files: ProjectFiles, known: KnownSkills = new Map()): Promise<Skills> {
  const roots = [rootPath, ...(files.base.roots?.() ?? [])]
  const places = roots.flatMap((root) => projectFolders.map((folder) => joinPath(root, folder)))
  const folders = (await Promise.all(places.map((folder) => namesIn(files, folder)))).flat()
  const read = await Promise.all(
    folders.slice(0, mostDefinitions).map(async (folder) => {
      const file = joinPath(folder, skillFile)
      const text = await projectText(files, file)
      return text === undefined ? [] : [skillIn(text, { source: file, file, folder }, known)]
    }),
  )
  return splitProblems([...read.flat(), ...tooMany(folders)])
}

/** The user's skills, those of the first folder first. One that several folders link to is one skill. */
export async function userSkills(folders: readonly string[], known: KnownSkills = new Map()): Promise<Skills> {
  const listed = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(folder).catch(() => [])
      return names.sort(byCodeUnit).map((name) => join(folder, name))
    }),
  )
  const seen = new Set<string>()
  const real = await Promise.all(listed.flat().map((folder) => realpath(folder).catch(() => folder)))
  const own = listed.flat().filter((_, index) => !seen.has(real[index] ?? '') && seen.add(real[index] ?? ''))
  const read = own.slice(0, mostDefinitions).map((folder) => {
    const source = join(folder, skillFile)
    const text = textIfReadable(source)
    return text === undefined ? [] : [skillIn(text, { source, file: null, folder }, known)]
  })
  return splitProblems([...read.flat(), ...tooMany(own)])
}

const maxFiles = 50
const maxBytes = 256 * 1024

/** The text files of a user's skill, with the paths that agents read them by. */
export function skillFiles(folder: string, place: string): ReturnType<Skill['attached']> {
  const files = entriesBelow(folder).filter((entry) => entry.isFile())
  return files.slice(0, maxFiles).flatMap((entry) => {
    const file = join(entry.parentPath, entry.name)
    const text = textIfReadable(file, { most: maxBytes })
    if (text === undefined || text.includes('\0')) return []
    return [{ path: `${place}/${relative(folder, file).split(sep).join('/')}` as VirtualPath, text }]
  })
}

/** A file or folder that cannot be read is one that the agent does not get. */
function entriesBelow(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
  } catch {
    return []
  }
}

type Place = Pick<FoundSkill, 'source' | 'file' | 'folder'>

function skillIn(text: string, place: Place, known: KnownSkills): FoundSkill | ExtensionProblem {
  const before = known.get(place.source)
  if (before?.text === text) return before.made
  const made = readSkill(text, place)
  known.set(place.source, { text, made })
  return made
}

function readSkill(text: string, place: Place): FoundSkill | ExtensionProblem {
  const read = readFrontMatter(place.source, text)
  if ('message' in read) return read
  const { name: given, description } = read.data
  const name = given === undefined || given === null ? basename(place.folder) : given
  if (typeof name !== 'string' || typeof description !== 'string' || name.trim() === '')
    return { file: place.source, line: 2, message: 'It needs a description, and a name that is a text.' }
  const limits = readLimits(place.source, read.data)
  if ('message' in limits) return limits
  const { compatibility, 'argument-hint': hint } = read.data
  return {
    ...place,
    ...limits.limits,
    name: name.trim(),
    description: description.trim().replaceAll(/\s+/g, ' '),
    hint: typeof hint === 'string' ? oneLine(hint) : '',
    compatibility: typeof compatibility === 'string' ? oneLine(compatibility) : '',
    isFor: { agents: read.data['disable-model-invocation'] !== true, person: read.data['user-invocable'] !== false },
    unknownKeys: [
      ...Object.keys(read.data).filter((key) => !knownKeys.includes(key)),
      ...limits.unused.map(({ key }) => key),
    ],
  }
}

function splitProblems(found: readonly (FoundSkill | ExtensionProblem)[]): Skills {
  return {
    skills: found.flatMap((one) => ('message' in one ? [] : [one])),
    problems: found.flatMap((one) => ('message' in one ? [one] : [])),
  }
}
