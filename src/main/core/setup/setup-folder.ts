import type { SetupProposal } from '#shared/model/setup.ts'
import { joinPath, nameOf, parseVirtualPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { type BaseListing, type BaseTree, BaseTreeError } from '../ports/base-tree.ts'

/** One folder of a project as recipes see it. */
export interface SetupFolder {
  readonly path: VirtualPath
  has(name: string): boolean
  /** The text of a file. Empty when it cannot be read or is longer than a file that people write. */
  read(name: string): Promise<string>
}

/** Finds one kind of setup in a folder. Its inputs are names in that folder. */
export type SetupRecipe = (folder: SetupFolder) => Promise<SetupProposal | undefined>

const mostBytes = 256 * 1024
const passedOver =
  /^(\..*|node_modules|vendor|target|dist|build|out|venv|env|third_party|test|tests|fixtures|examples?)$/

export async function openFolder(base: BaseTree, path: VirtualPath): Promise<SetupFolder> {
  const names = new Set((await namesOf(base, path, 'file')).map(nameOf))
  return {
    path,
    has: (name) => names.has(name),
    read: async (name) => {
      // A file of the project may name one that is outside.
      const file = parseVirtualPath(joinPath(path, name))
      if (!file.ok) return ''
      try {
        return new TextDecoder().decode(await base.read(file.value, { offset: 0, length: mostBytes }))
      } catch (error) {
        if (error instanceof BaseTreeError) return ''
        throw error
      }
    },
  }
}

/** Those of one kind, as paths. */
export async function namesOf(
  base: BaseTree,
  path: VirtualPath,
  kind: 'file' | 'directory',
): Promise<readonly VirtualPath[]> {
  return (await entriesOf(base, path))
    .filter(({ name, node }) => node.kind === kind && (kind === 'file' || !passedOver.test(name)))
    .map(({ name }) => joinPath(path, name))
}

/** Empty for a folder that cannot be read. */
async function entriesOf(base: BaseTree, path: VirtualPath): Promise<BaseListing['entries']> {
  try {
    return (await base.list(path))?.entries ?? []
  } catch (error) {
    if (error instanceof BaseTreeError) return []
    throw error
  }
}
