import { createLocate } from '#core/overlay/locate.ts'
import { emptyTree } from '#core/overlay/tree.ts'
import { type BaseTree, BaseTreeError } from '#core/ports/base-tree.ts'
import { isSecretFile } from '#core/secrets/secrets.ts'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'

/** What of a project is read for its agents: small text files. */
const maxBytes = 256 * 1024

/**
 * The text of a file of the project; undefined where there is none that can be used. What may hold secrets cannot: all of this goes to a
 * model, and nobody is asked about what a project's own files import or link to.
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

/** Names in a folder of the project, sorted; none where there is no such folder. */
export async function namesIn(base: BaseTree, folder: VirtualPath): Promise<readonly VirtualPath[]> {
  try {
    return ((await base.list(folder))?.entries ?? []).map(({ name }) => joinPath(folder, name))
  } catch (error) {
    if (error instanceof BaseTreeError) return []
    throw error
  }
}
