import { createGitRules, noGit } from '#overlay'
import { joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { type BaseListing, type BaseNode, type BaseTree, BaseTreeError } from '../ports/base-tree.ts'
import type { Hashing } from '../ports/hashing.ts'

/** Names the state of the folder that trees fall through to. */
export interface FolderState {
  /**
   * Equal names mean that no file of the project changed between two calls, as far as sizes and times tell. Files that
   * git leaves out do not count; of `.git`, only the current commit does. A state that was found at most `age`
   * milliseconds ago is given again; 0 always looks.
   */
  find(age?: number): Promise<string>
}

interface StateServices {
  readonly base: BaseTree
  readonly hashing: Pick<Hashing, 'hash'>
  readonly clock: { now(): number }
}

const listedAtOnce = 16

export function createFolderState(services: StateServices): FolderState {
  const { clock } = services
  let last: { readonly at: number; readonly state: string } | null = null
  let looking: Promise<string> | null = null

  async function look(): Promise<string> {
    const at = clock.now()
    const state = await nameFolder(services)
    last = { at, state }
    return state
  }
  return {
    async find(age = 0) {
      if (last !== null && age > 0 && clock.now() - last.at <= age) return last.state
      if (age === 0) return look()
      looking ??= look().finally(() => {
        looking = null
      })
      return looking
    },
  }
}

async function nameFolder({ base, hashing }: StateServices): Promise<string> {
  const texts = new Map<string, string>()
  const { isLeftOut } = createGitRules((folder) => texts.get(folder), (await base.ignores?.()) ?? noGit)
  const lines: string[] = []
  let folders: readonly VirtualPath[] = [rootPath]
  while (folders.length > 0) {
    const next: VirtualPath[] = []
    for (let from = 0; from < folders.length; from += listedAtOnce) {
      const group = folders.slice(from, from + listedAtOnce)
      const listings = await Promise.all(group.map((folder) => listFolder(base, folder)))
      for (const [index, folder] of group.entries()) {
        const entries = listings[index] ?? []
        if (entries.some(({ name }) => name === '.gitignore')) texts.set(folder, await readRules(base, folder))
        for (const { name, node } of entries) {
          const path = joinPath(folder, name)
          const isFolder = node.kind === 'directory'
          if (isLeftOut(path, isFolder)) continue
          if (isFolder) next.push(path)
          lines.push(`${JSON.stringify(path)} ${describe(node)}`)
        }
      }
    }
    folders = next
  }
  const heads = await Promise.all([rootPath, ...(base.roots?.() ?? [])].map((root) => headIn(base, root)))
  return hashing.hash(new TextEncoder().encode([...heads.flat(), ...lines.sort()].join('\n')))
}

/** What is checked out in the repository of a folder, and its commit. */
async function headIn(base: BaseTree, root: VirtualPath): Promise<readonly string[]> {
  const gitFolder = joinPath(root, '.git')
  const head = await readText(base, joinPath(gitFolder, 'HEAD'))
  const branch = /^ref: (.+)$/m.exec(head)?.[1]
  return [head, branch === undefined ? '' : await readText(base, joinPath(gitFolder, branch))]
}

function describe(node: BaseNode): string {
  switch (node.kind) {
    case 'file':
      return `${node.size} ${node.modified} ${node.executable}`
    case 'symlink':
      return `-> ${node.target}`
    default:
      return node.kind
  }
}

async function listFolder(base: BaseTree, folder: VirtualPath): Promise<BaseListing['entries']> {
  try {
    return (await base.list(folder))?.entries ?? []
  } catch (error) {
    if (error instanceof BaseTreeError) return []
    throw error
  }
}

function readRules(base: BaseTree, folder: VirtualPath): Promise<string> {
  return readText(base, joinPath(folder, '.gitignore'))
}

/** Empty for a file that is not there or cannot be read. */
async function readText(base: BaseTree, path: VirtualPath): Promise<string> {
  try {
    return new TextDecoder().decode(await base.read(path))
  } catch (error) {
    if (error instanceof BaseTreeError) return ''
    throw error
  }
}
