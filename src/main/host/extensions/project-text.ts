import { createLocate } from '#core/overlay/locate.ts'
import { emptyTree } from '#core/overlay/tree.ts'
import { type BaseTree, BaseTreeError } from '#core/ports/base-tree.ts'
import { isSecretFile } from '#core/secrets/secret-files.ts'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'

/** Bytes. Only smaller text files are read for agents. */
const maxBytes = 256 * 1024

/**
 * The text of a project file. Undefined when it is missing, unusable or may hold secrets: the text goes to a model, and
 * nobody is asked about imports and links in a project's own files.
 */
export async function projectText(base: BaseTree, path: VirtualPath): Promise<string | undefined> {
  try {
    const leadsTo = (await createLocate(base, () => emptyTree)(path, true)).path
    if (isSecretFile(path) || isSecretFile(leadsTo)) return undefined
    const bytes = await base.read(path, { offset: 0, length: maxBytes })
    return new TextDecoder().decode(bytes)
  } catch (error) {
    if (error instanceof BaseTreeError) return undefined
    throw error
  }
}

/** Names in a folder of the project, sorted. Empty when the folder does not exist. */
export async function namesIn(base: BaseTree, folder: VirtualPath): Promise<readonly VirtualPath[]> {
  try {
    return ((await base.list(folder))?.entries ?? []).map(({ name }) => joinPath(folder, name))
  } catch (error) {
    if (error instanceof BaseTreeError) return []
    throw error
  }
}
