import { join, relative } from 'node:path'
import { leafOf, nodeText } from '#overlay'
import type { Patch } from '#shared/model/patch.ts'
import { isWithin, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from '../project/project.ts'

/** A changed file as its two texts. */
export interface ChangedText {
  readonly path: VirtualPath
  /** Null where there was no file. */
  readonly before: string | null
  /** Null where there is none any more. */
  readonly after: string | null
}

/** Files of one change that are shown with their texts, and the most characters of each. */
const most = { files: 30, characters: 200_000 }

/** The texts of the first files of a change. Leaves out what is no text, too long, or not read. */
export function changedTexts({ services }: Project, patch: Patch): readonly ChangedText[] {
  const texts: ChangedText[] = []
  for (const [path, [before, after]] of patch) {
    if (texts.length === most.files) break
    const nodes = [before ? before.node : (after?.pin ?? null), after ? after.node : (before?.pin ?? null)].map(leafOf)
    const [old, fresh] = nodes.map((node) => (node === null ? null : textOf(services.blobs, node)))
    if (old === undefined || fresh === undefined || old === fresh) continue
    texts.push({ path, before: old, after: fresh })
  }
  return texts
}

/** Undefined for what cannot be shown. */
function textOf(...[blobs, node]: Parameters<typeof nodeText>): string | undefined {
  try {
    const text = nodeText(blobs, node)
    return text === undefined || text.length > most.characters ? undefined : text
  } catch {
    // A file that nobody has read is only named.
    return undefined
  }
}

/** Where a path of agents is on this machine. Null for what is in no folder of the project, such as inputs. */
export function diskPath({ folders, services }: Project, path: VirtualPath): string | null {
  if (services.routes.some(({ prefix }) => `${path}/`.startsWith(prefix))) return null
  const holders = folders.filter(({ root }) => root === rootPath || isWithin(path, root))
  const [nearest] = holders.toSorted((one, other) => other.root.length - one.root.length)
  return nearest?.path ? join(nearest.path, path.slice(nearest.root === rootPath ? 0 : nearest.root.length)) : null
}

/** How agents name a path of this machine. Null for what is in no folder of the project. */
export function agentPath({ folders }: Project, path: string): VirtualPath | null {
  for (const { root, path: folder } of folders.toReversed()) {
    if (folder === null) continue
    const inside = relative(folder, path).replaceAll('\\', '/')
    if (inside === '..' || inside.startsWith('../') || inside.includes(':')) continue
    return `${root === rootPath ? '' : root}/${inside}` as VirtualPath
  }
  return null
}
