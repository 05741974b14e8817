import { isUtf8 } from 'node:buffer'
import { type BigIntStats, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Pace } from '#core/ports/pace.ts'
import type { CheckoutChange, CheckoutFolder, CheckoutLook } from '#core/ports/stores/checkout-folder.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { ancestorsOf, isWithin, joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { createPace } from '../pace.ts'
import { textIfReadable } from '../system/read-bounded.ts'
import { type KnownNodes, openKnownNodes } from './known-nodes.ts'
import { createPut, late } from './put-file.ts'
import { nodeOf, readLeaf, sameNode, stampOf, statsAt } from './read-leaf.ts'

export interface CheckoutFolderOptions {
  /** Absolute, with links resolved. */
  readonly folder: string
  /** The file that remembers what the folder and the branch had in common. */
  readonly stateFile: string
  /**
   * A folder of the same file system, outside `folder`, for what is moved in and out while others work there. Null for a
   * folder that is only filled and read.
   */
  readonly aside: string | null
}

export function openCheckoutFolder({ folder, stateFile, aside }: CheckoutFolderOptions): CheckoutFolder {
  const known = openKnownNodes(stateFile)
  const { put, lateChanges, agreeLate } = createPut(folder, aside, known)
  return {
    put,
    async look(isLeftOut, hints) {
      // Nobody removed the files of a folder that is gone or moved as a whole.
      if (!statsAt(folder)?.isDirectory()) return { changes: [], uncarried: [] }
      const walk = { folder, known, isLeftOut, changes: new Map(), uncarried: [], pace: createPace() } satisfies Walk
      for (const hint of hints ? topmost(hints) : [rootPath]) await lookAt(walk, hint)
      const found = new Map([...lateChanges().map((one) => [one.path, one] as const), ...walk.changes])
      return {
        changes: [...found.values()].sort((a, b) => byCodeUnit(a.path, b.path)),
        uncarried: walk.uncarried,
      }
    },
    agree({ path, after, stamp }) {
      if (stamp === late) agreeLate(path)
      else known.set(path, after && { node: nodeOf(after), stamp })
    },
    nodeAt: (path) => known.all.get(path)?.node ?? null,
    paths: () => known.all.keys(),
    holds: (of) => known.holds(of),
    strangers: (most) => strangersIn(folder, known, most),
    readRules: (of) => textIfReadable(join(folder, of, '.gitignore'), { follows: false, cuts: true, most: 1_000_000 }),
    save: () => known.save(),
  }
}

/** Those of the paths that are in no other one. */
function topmost(paths: ReadonlySet<VirtualPath>): readonly VirtualPath[] {
  return [...paths].filter((path) => path === rootPath || !ancestorsOf(path).some((above) => paths.has(above)))
}

interface Walk {
  readonly folder: string
  readonly known: KnownNodes
  readonly isLeftOut: (path: VirtualPath, isDirectory: boolean) => boolean
  readonly changes: Map<VirtualPath, CheckoutChange>
  readonly uncarried: CheckoutLook['uncarried'][number][]
  readonly pace: Pace
}

/** Looks at a path and everything below it, and at what is known there and is gone. */
async function lookAt(walk: Walk, path: VirtualPath): Promise<void> {
  const { folder, known, changes, pace } = walk
  const found = new Set<VirtualPath>()
  const waiting = isReached(walk, path) ? [path] : []
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    await pace()
    const stats = statsAt(join(folder, next))
    if (stats?.isDirectory()) waiting.push(...pathsIn(walk, next))
    else if (stats && lookAtLeaf(walk, next, stats)) found.add(next)
  }
  for (const one of path === rootPath || known.holds(path) ? [...known.all.keys()] : [path]) {
    const node = isWithin(one, path) && !found.has(one) ? known.all.get(one)?.node : undefined
    if (node) changes.set(one, { path: one, before: node, after: null, stamp: '' })
  }
}

/** False for a path behind a link or below a file, and in a folder that is left out. */
function isReached({ folder, known, isLeftOut }: Walk, path: VirtualPath): boolean {
  return ancestorsOf(path).every(
    (above) => statsAt(join(folder, above))?.isDirectory() === true && (known.holds(above) || !isLeftOut(above, true)),
  )
}

function* pathsIn({ folder, known, isLeftOut, uncarried }: Walk, path: VirtualPath): Generator<VirtualPath> {
  if (path !== rootPath && !known.holds(path) && isLeftOut(path, true)) return
  for (const name of namesIn(join(folder, path))) {
    if (isUtf8(name)) yield joinPath(path, name.toString())
    else uncarried.push({ path: joinPath(path, name.toString('latin1')), why: 'named with bytes that are not UTF-8' })
  }
}

function namesIn(folder: string): readonly Buffer[] {
  try {
    return readdirSync(folder, { encoding: 'buffer' })
  } catch {
    return []
  }
}

/** True when the path does not count as gone. */
function lookAtLeaf({ folder, known, isLeftOut, changes, uncarried }: Walk, path: VirtualPath, stats: BigIntStats) {
  const was = known.all.get(path)
  if (was ? was.stamp === stampOf(stats) : isLeftOut(path, false)) return true
  const read = readLeaf(join(folder, path), stats)
  if (read.kind === 'moving') return true
  if (read.kind === 'refused') {
    uncarried.push({ path, why: read.why })
    return true
  }
  const { content, stamp } = read
  if (was && sameNode(was.node, nodeOf(content))) known.set(path, { node: was.node, stamp })
  else changes.set(path, { path, before: was?.node ?? null, after: content, stamp })
  return true
}

function strangersIn(folder: string, known: KnownNodes, most: number): readonly VirtualPath[] {
  const found: VirtualPath[] = []
  const waiting: VirtualPath[] = [rootPath]
  for (let next = waiting.pop(); next !== undefined && found.length < most; next = waiting.pop()) {
    for (const name of namesIn(join(folder, next))) {
      const path = joinPath(next, name.toString())
      if (path.toLowerCase() === '/.git') continue
      if (statsAt(join(folder, path))?.isDirectory()) waiting.push(path)
      else if (!known.all.has(path)) found.push(path)
    }
  }
  return found.slice(0, most)
}
