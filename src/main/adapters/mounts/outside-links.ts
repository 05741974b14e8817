import { isAbsolute, normalize, relative } from 'node:path'
import type { MountChange, RefusedLink } from '#core/ports/branch-mounts.ts'
import { isWithin, joinPath, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { MountBase } from './mount-base.ts'

/** As the system does: more links than this in one path lead nowhere. */
const mostLinks = 40

interface Tree {
  readonly base: MountBase
  readonly rootFolder: string | null
  /** Null for something that is no link, undefined where the base decides. */
  readonly changedAt: (path: VirtualPath) => string | null | undefined
}

/**
 * Takes the links out of a capture that lead out of the project: once applied, a person or a tool would write through
 * them. Follows every link on the way, new ones and old ones. A link that only moved was there before, so it stays.
 */
export function refuseOutsideLinks(
  changes: readonly MountChange[],
  base: MountBase,
  rootFolder: string | null,
): { readonly kept: readonly MountChange[]; readonly refused: readonly RefusedLink[] } {
  const links = changes.filter((change) => change.kind === 'symlink')
  if (links.length === 0) return { kept: changes, refused: [] }
  const known = new Map(changes.map((change) => [change.path, change.kind === 'symlink' ? change.target : null]))
  const before: Tree = { base, rootFolder, changedAt: () => undefined }
  const after: Tree = { base, rootFolder, changedAt: (path) => known.get(path) }
  const moved = new Set(
    changes.flatMap(({ kind, path }) => {
      const old = kind === 'absent' ? base.at(path) : undefined
      return old?.kind === 'symlink' ? [escapeOf(before, path, old.target)] : []
    }),
  )
  const refused = links.filter(({ path, target }) => {
    const place = escapeOf(after, path, target)
    return place !== null && !moved.has(place)
  })
  const paths = new Set(refused.map(({ path }) => path))
  return {
    kept: changes.filter(({ path }) => !paths.has(path)),
    refused: refused.map(({ path, target }) => ({ path, target })),
  }
}

/** The place outside to which a link leads, null when it stays inside. */
function escapeOf(tree: Tree, link: VirtualPath, target: string): string | null {
  const outside = (place: string, rest: readonly string[]) => normalize([place, ...rest].join('/'))
  let folder = parentOf(link)
  let parts = partsOf(target)
  let left = mostLinks
  if (isAbsolute(target)) {
    const inside = insideOf(tree.rootFolder, target)
    if (inside === undefined) return outside(target, [])
    folder = rootPath
    parts = inside
  }
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    if (part === '.') continue
    if (part === '..') {
      if (folder === rootPath) return outside(tree.rootFolder ?? '/project', ['..', ...parts])
      folder = parentOf(folder)
      continue
    }
    const path = joinPath(folder, part)
    const next = linkAt(tree, path)
    if (next === null) {
      folder = path
      continue
    }
    left -= 1
    if (left === 0) return null
    const inside = isAbsolute(next) ? insideOf(tree.rootFolder, next) : partsOf(next)
    if (inside === undefined) return outside(next, parts)
    if (isAbsolute(next)) folder = rootPath
    parts = [...inside, ...parts]
  }
  return null
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '')
}

/** The parts below the project of an absolute target. Undefined outside of it. */
function insideOf(rootFolder: string | null, target: string): string[] | undefined {
  if (rootFolder === null || !isWithin(normalize(target) as VirtualPath, rootFolder as VirtualPath)) return undefined
  return partsOf(relative(rootFolder, normalize(target)))
}

/** Null for anything that is no link. */
function linkAt({ base, changedAt }: Tree, path: VirtualPath): string | null {
  const changed = changedAt(path)
  if (changed !== undefined) return changed
  const node = base.at(path)
  return node?.kind === 'symlink' ? node.target : null
}
