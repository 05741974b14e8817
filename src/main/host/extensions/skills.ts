import { readdir } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { textIfReadable } from '#adapters/system/read-bounded.ts'
import type { Skill } from '#core/prompts/appendices.ts'
import { joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { type ExtensionProblem, readFrontMatter } from './front-matter.ts'
import { mostDefinitions, namesIn, type ProjectFiles, projectText, tooMany } from './project-text.ts'

export interface FoundSkill {
  readonly name: string
  readonly description: string
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
const knownKeys = ['name', 'description', 'license', 'compatibility', 'metadata']

/** The skills of all folders of the project, those of the first one first. */
export async function projectSkills(files: ProjectFiles): Promise<Skills> {
  const roots = [rootPath, ...(files.base.roots?.() ?? [])]
  const places = roots.flatMap((root) => projectFolders.map((folder) => joinPath(root, folder)))
  const folders = (await Promise.all(places.map((folder) => namesIn(files, folder)))).flat()
  const read = await Promise.all(
    folders.slice(0, mostDefinitions).map(async (folder) => {
      const file = joinPath(folder, skillFile)
      const text = await projectText(files, file)
      return text === undefined ? [] : [skillIn(text, { source: file, file, folder })]
    }),
  )
  return splitProblems([...read.flat(), ...tooMany(folders)])
}

/** The user's skills, in a folder of the app's data. */
export async function userSkills(folder: string): Promise<Skills> {
  const names = await readdir(folder).catch(() => [])
  const read = await Promise.all(
    names.map(async (name) => {
      const source = join(folder, name, skillFile)
      const text = textIfReadable(source)
      return text === undefined ? [] : [skillIn(text, { source, file: null, folder: join(folder, name) })]
    }),
  )
  return splitProblems(read.flat())
}

const maxFiles = 50
const maxBytes = 256 * 1024

/** The text files of a user's skill, with the paths that agents read them by. */
export async function skillFiles(folder: string, place: string): Promise<Skill['attached']> {
  // A file or folder that cannot be read is one that the agent does not get.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).slice(0, maxFiles)
  const read = await Promise.all(
    files.map(async (entry) => {
      const file = join(entry.parentPath, entry.name)
      const text = textIfReadable(file, { most: maxBytes })
      if (text === undefined || text.includes('\0')) return []
      const path = `${place}/${relative(folder, file).split(sep).join('/')}` as VirtualPath
      return [{ path, text }]
    }),
  )
  return read.flat()
}

type Place = Pick<FoundSkill, 'source' | 'file' | 'folder'>

function skillIn(text: string, place: Place): FoundSkill | ExtensionProblem {
  const read = readFrontMatter(place.source, text)
  if ('message' in read) return read
  const { name: given, description } = read.data
  const name = given === undefined || given === null ? basename(place.folder) : given
  if (typeof name !== 'string' || typeof description !== 'string' || name.trim() === '')
    return { file: place.source, line: 2, message: 'It needs a description, and a name that is a text.' }
  const unknownKeys = Object.keys(read.data).filter((key) => !knownKeys.includes(key))
  return { ...place, name: name.trim(), description: description.trim().replaceAll(/\s+/g, ' '), unknownKeys }
}

function splitProblems(found: readonly (FoundSkill | ExtensionProblem)[]): Skills {
  return {
    skills: found.flatMap((one) => ('message' in one ? [] : [one])),
    problems: found.flatMap((one) => ('message' in one ? [one] : [])),
  }
}

/** The folder of skills that every project sees. */
export function userSkillsFolder({ dataFolder }: { readonly dataFolder: string }): string {
  return join(dataFolder, 'skills')
}
