import { lstatSync, readlinkSync } from 'node:fs'
import { BaseTreeError } from '#core/ports/base-tree.ts'
import { joinPath, parentOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { DiskRoot } from './disk-root.ts'

const linkLimit = 40

/**
 * Where a path leads when links above its last component, and with `leaf` also there, are followed by name. The answer
 * is a guess that the disk may outdate at once: only a handle opened at it, and checked, may be used.
 */
export function resolveLinks(root: DiskRoot, path: VirtualPath, leaf: boolean): VirtualPath {
  const waiting = components(path).reverse()
  let current: VirtualPath = rootPath
  let link = path
  let links = 0
  while (waiting.length > 0) {
    const name = waiting.pop() ?? ''
    if (name === '..') {
      if (current === rootPath) throw leavesRoot(path, link)
      current = parentOf(current)
      continue
    }
    const next = joinPath(current, name)
    const target = waiting.length > 0 || leaf ? linkTarget(root, next) : undefined
    if (target === undefined) {
      current = next
      continue
    }
    links += 1
    if (links > linkLimit) throw new BaseTreeError('link_loop', path, `${path} goes through a loop of links.`)
    link = next
    const inside = target.startsWith('/') ? root.virtualPathOf(target) : target
    if (inside === undefined) throw leavesRoot(path, link)
    if (target.startsWith('/')) current = rootPath
    waiting.push(...components(inside).reverse())
  }
  return current
}

function linkTarget(root: DiskRoot, path: VirtualPath): string | undefined {
  const location = root.locate(path)
  const isLink = lstatSync(location, { throwIfNoEntry: false })?.isSymbolicLink()
  return isLink ? readlinkSync(location) : undefined
}

function components(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}

function leavesRoot(path: VirtualPath, link: VirtualPath): BaseTreeError {
  return new BaseTreeError('link_leaves_root', path, `The link ${link} leaves the project folder and is not followed.`)
}
