import { randomUUID } from 'node:crypto'
import {
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { CheckoutChange, CheckoutContent, CheckoutNode } from '#core/ports/stores/checkout-folder.ts'
import { ancestorsOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { KnownNodes } from './known-nodes.ts'
import { nodeOf, readLeaf, sameNode, statsAt } from './read-leaf.ts'

/** A file that was moved away, because the branch has another version. */
interface Moved {
  readonly path: VirtualPath
  readonly place: string
  readonly node: CheckoutNode
  /** Milliseconds since the Unix epoch. */
  readonly until: number
}

/** How long a program may go on to write into a file that it had open when another one took its place. */
const keptMs = 60_000

/** The stamp of a change that is not in the folder but in a file that was moved away. */
export const late = 'late'

/**
 * Writes what a branch has into a folder in which programs of a person write too. It replaces no file of theirs: the old
 * one is moved away, and only when it is what both had in common, the new one is put where nothing is. A program that had
 * the old one open may still write into it, so it is kept for a while and looked at again.
 */
export function createPut(folder: string, aside: string | null, known: KnownNodes) {
  const moved = new Set<Moved>()

  /** False when it is not what was expected. Then it is where it was. */
  function moveAway(path: VirtualPath, was: CheckoutNode): boolean {
    if (aside === null) return false
    const [place, away] = [join(folder, path), join(aside, randomUUID())]
    renameSync(place, away)
    if (isStill(away, was)) {
      moved.add({ path, place: away, node: was, until: Date.now() + keptMs })
      return true
    }
    // Where they saved once more meanwhile, that newer version stays.
    if (statsAt(place)) rmSync(away, { recursive: true, force: true })
    else renameSync(away, place)
    return false
  }

  return {
    /** See `CheckoutFolder.put`. */
    put(path: VirtualPath, content: CheckoutContent): boolean {
      const place = join(folder, path)
      const was = known.all.get(path)?.node
      const there = content || was ? statsAt(place) : undefined
      if ((there === undefined) !== (was === undefined) || there?.isDirectory()) return false
      if (content && !makeFolders(folder, path)) return false
      if (was && !moveAway(path, was)) return false
      if (content && !placeNew(content, place, aside)) return false
      known.set(path, content && { node: nodeOf(content), stamp: '' })
      if (!content) removeEmptyAbove(folder, path)
      return true
    },
    /** What programs wrote into files that had been moved away. */
    lateChanges(): readonly CheckoutChange[] {
      return [...moved].flatMap((one) => {
        const stats = statsAt(one.place)
        const read = stats && readLeaf(one.place, stats)
        if (read?.kind === 'read' && !sameNode(nodeOf(read.content), one.node))
          return [{ path: one.path, before: one.node, after: read.content, stamp: late }]
        if (read?.kind !== 'moving' && Date.now() > one.until) letGo(one)
        return []
      })
    },
    /** Call when the branch has a late change. */
    agreeLate(path: VirtualPath): void {
      for (const one of moved) if (one.path === path) letGo(one)
    },
  }

  function letGo(one: Moved): void {
    rmSync(one.place, { force: true })
    moved.delete(one)
  }
}

function isStill(place: string, was: CheckoutNode): boolean {
  const stats = statsAt(place)
  const read = stats && readLeaf(place, stats)
  return read?.kind === 'read' && sameNode(nodeOf(read.content), was)
}

/** Puts it where nothing may be. False when something is. */
function placeNew(content: NonNullable<CheckoutContent>, place: string, aside: string | null): boolean {
  if (content.kind === 'symlink') return unlessThere(() => symlinkSync(content.target, place))
  const mode = content.executable ? 0o777 : 0o666
  if (aside === null) return unlessThere(() => writeFileSync(place, content.bytes, { flag: 'wx', mode }))
  const made = join(aside, randomUUID())
  writeFileSync(made, content.bytes, { flag: 'wx', mode })
  try {
    return unlessThere(() => linkOrCopy(made, place))
  } finally {
    rmSync(made)
  }
}

function linkOrCopy(made: string, place: string): void {
  try {
    linkSync(made, place)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    // Some file systems have no second names.
    copyFileSync(made, place, constants.COPYFILE_EXCL)
  }
}

function unlessThere(put: () => void): boolean {
  try {
    put()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** False where something else than a folder is in the way. */
function makeFolders(folder: string, path: VirtualPath): boolean {
  for (const above of ancestorsOf(path).toReversed()) {
    const stats = statsAt(join(folder, above))
    if (!stats) mkdirSync(join(folder, above))
    else if (!stats.isDirectory()) return false
  }
  return true
}

/** Folders come and go with what is in them. */
function removeEmptyAbove(folder: string, path: VirtualPath): void {
  for (const above of ancestorsOf(path)) {
    try {
      rmdirSync(join(folder, above))
    } catch {
      return
    }
  }
}
