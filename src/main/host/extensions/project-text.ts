import { type BaseTree, BaseTreeError } from '#core/ports/base-tree.ts'
import type { FileAccess } from '#core/secrets/file-access.ts'
import { isGitConfig, withoutCredentials } from '#core/secrets/git-credentials.ts'
import { createLocate, emptyTree } from '#overlay'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { ExtensionProblem } from './front-matter.ts'

/** Bytes. No more of a text file is read for agents. */
export const mostBytes = 256 * 1024

/** A project's files as its agents may read them without asking. */
export interface ProjectFiles {
  readonly base: BaseTree
  /** What settings and rules say now. */
  readonly access: () => Pick<FileAccess, 'mayShow'>
}

/** The beginning of a project file. */
export interface ProjectText {
  readonly text: string
  /** True when the file is longer. */
  readonly isCut: boolean
}

/**
 * The text of a project file. Undefined when it is missing, unusable, or may not be read without asking: the text goes
 * to a model, and nobody is asked about imports and links in a project's own files.
 */
export async function projectText(files: ProjectFiles, path: VirtualPath): Promise<string | undefined> {
  return (await readProjectText(files, path))?.text
}

/** Like `projectText`, with whether that is all of it. */
export async function readProjectText(
  { base, access }: ProjectFiles,
  path: VirtualPath,
): Promise<ProjectText | undefined> {
  try {
    const leadsTo = (await createLocate(base, () => emptyTree)(path, true)).path
    const { mayShow } = access()
    const read = await base.read(path, { offset: 0, length: mostBytes + 1 })
    const bytes = read.subarray(0, mostBytes)
    if (!mayShow(path, bytes) || (leadsTo !== path && !mayShow(leadsTo, bytes))) return undefined
    const text = new TextDecoder().decode(bytes)
    return {
      text: isGitConfig(path) || isGitConfig(leadsTo) ? withoutCredentials(text) : text,
      isCut: read.length > mostBytes,
    }
  } catch (error) {
    if (error instanceof BaseTreeError) return undefined
    throw error
  }
}

/** Names in a folder of the project, sorted. Empty when the folder does not exist. */
export async function namesIn(
  { base }: Pick<ProjectFiles, 'base'>,
  folder: VirtualPath,
): Promise<readonly VirtualPath[]> {
  try {
    return ((await base.list(folder))?.entries ?? []).map(({ name }) => joinPath(folder, name))
  } catch (error) {
    if (error instanceof BaseTreeError) return []
    throw error
  }
}

/** Agents or skills of a project that are read. */
export const mostDefinitions = 500

/** A problem when a project has more definitions than are read. */
export function tooMany(files: readonly string[]): readonly ExtensionProblem[] {
  const first = files[mostDefinitions]
  return first === undefined
    ? []
    : [{ file: first, line: null, message: `Only the first ${mostDefinitions} of ${files.length} are read.` }]
}
