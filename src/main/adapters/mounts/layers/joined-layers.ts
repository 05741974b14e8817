import { randomUUID } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join as at } from 'node:path'
import { BranchMountError } from '#core/ports/branch-mounts.ts'
import type { LayerId } from '#shared/model/ids.ts'
import type { CommandUser } from '../../system/command-user.ts'
import { removeInMade } from '../../system/made-folders.ts'
import { runInside } from '../namespace.ts'
import { joinLayers } from './join-script.ts'

/** How many folders a stack may have before its layers are joined. */
const mostInStack = 32

/** What a stack needs to know of a layer. */
interface Stackable {
  readonly id: LayerId
  readonly home: boolean
}

/** Times as many folders as in a deep stack can still be mounted: the kernel has a limit of 500. */
const mountable = 14

/** One folder of a stack, with parts as a layer has them. */
export interface StackedFolder {
  /** Its name in the folder of the layers. */
  readonly name: string
  /** True when it has files of the commands' home. */
  readonly home: boolean
}

/** A stack that is in use: nothing of it is removed before it is disposed of. */
export interface LayerStack extends Disposable {
  /** The oldest first. */
  readonly folders: readonly StackedFolder[]
}

/**
 * Long stacks, made short. A joined layer shows what the first layers of a list show. The journal does not know of it:
 * it stands in for exactly these layers, wherever a list begins with them.
 */
export interface JoinedLayers {
  /** The fewest folders that show these layers. */
  stack(layers: readonly Stackable[]): LayerStack
  /** The same, but joins them first if the system could not mount so many. Throws `BranchMountError` if that fails. */
  mountableStack(layers: readonly Stackable[], user: CommandUser): Promise<LayerStack>
  /** Begins to join these layers, if their stack is deep. Never fails: without a joined layer a stack is only slower. */
  joinIfDeep(layers: readonly Stackable[], user: CommandUser): void
  /** Resolves when nothing is being joined. */
  whenJoined(): Promise<void>
  /** Removes joined layers that stand in for a layer outside `left`, and what a kill left of one. */
  keepOnly(left: ReadonlySet<LayerId>): Promise<void>
  /** Stops joining. */
  stop(): Promise<void>
}

interface Joined extends StackedFolder {
  readonly of: readonly LayerId[]
  uses: number
}

/** `folder` is that of the layers. More than `most` folders are a deep stack. */
export function createJoinedLayers(folder: string, most: number = mostInStack): JoinedLayers {
  const known = new Map<string, Joined>()
  /** Names of joined layers that are still being made. */
  const making = new Set<string>()
  const stopping = new AbortController()
  /** Grows with each failure, so that a disk on which nothing can be joined is left in peace. */
  let deep = most
  let joining = Promise.resolve()
  let isJoining = false
  for (const name of foldersIn(folder)) {
    const record = readRecord(at(folder, name))
    if (record) known.set(name, { ...record, name, uses: 0 })
  }

  function findLongest(layers: readonly Stackable[]): Joined | undefined {
    const fitting = [...known.values()].filter(({ name, of }) => beginsWith(layers, of) && isWhole(at(folder, name)))
    return fitting.sort((a, b) => b.of.length - a.of.length)[0]
  }
  function stack(layers: readonly Stackable[]): LayerStack {
    const joined = findLongest(layers)
    if (joined) joined.uses += 1
    const rest = layers.slice(joined?.of.length ?? 0).map(({ id, home }) => ({ name: id, home }))
    return {
      folders: joined ? [joined, ...rest] : rest,
      [Symbol.dispose]: () => {
        if (joined) joined.uses -= 1
      },
    }
  }
  async function joinAll(layers: readonly Stackable[], user: CommandUser): Promise<void> {
    using below = stack(layers)
    const name = `joined-${randomUUID().replaceAll('-', '').slice(0, 16)}`
    making.add(name)
    try {
      mkdirSync(at(folder, name), { mode: 0o700 })
      const names = below.folders.map((one) => one.name)
      await runInside(joinLayers(folder, name, names, user), { signal: stopping.signal })
      const record = { of: layers.map(({ id }) => id), home: layers.some(({ home }) => home) }
      writeRecord(at(folder, name), record)
      known.set(name, { ...record, name, uses: 0 })
    } catch {
      deep *= 2
      await removeInMade(at(folder, name)).catch(() => undefined)
    } finally {
      making.delete(name)
    }
  }
  function join(layers: readonly Stackable[], user: CommandUser): Promise<void> {
    joining = joining.then(() => joinAll(layers, user)).then(removeReplaced)
    return joining
  }
  async function remove(name: string): Promise<void> {
    known.delete(name)
    await removeInMade(at(folder, name))
  }
  /** A longer one stands in for the same layers and more. */
  async function removeReplaced(): Promise<void> {
    for (const { name, of, uses } of [...known.values()]) {
      const isReplaced = [...known.values()].some(
        (other) => other.of.length > of.length && of.every((id, index) => other.of[index] === id),
      )
      if (isReplaced && uses === 0) await remove(name).catch(() => undefined)
    }
  }
  return {
    stack,
    async mountableStack(layers, user) {
      const isTooDeep = ({ folders }: LayerStack) => folders.length > most * mountable
      const now = stack(layers)
      if (!isTooDeep(now)) return now
      now[Symbol.dispose]()
      await join(layers, user)
      const joined = stack(layers)
      if (!isTooDeep(joined)) return joined
      joined[Symbol.dispose]()
      throw new BranchMountError('failed', tooDeep)
    },
    joinIfDeep(layers, user) {
      using now = stack(layers)
      if (isJoining || stopping.signal.aborted || now.folders.length <= deep) return
      isJoining = true
      void join(layers, user).finally(() => {
        isJoining = false
      })
    },
    whenJoined: () => joining,
    async keepOnly(left) {
      await joining
      await removeReplaced()
      for (const name of foldersIn(folder)) {
        if (making.has(name)) continue
        const joined = known.get(name)
        if (!joined || (joined.uses === 0 && joined.of.some((id) => !left.has(id)))) await remove(name)
      }
    },
    async stop() {
      stopping.abort()
      await joining
    },
  }
}

const tooDeep =
  'The branch’s environment has more layers than the system can show, and they could not be joined. Free some space, or clean up the environment of this thread in Settings → Storage.'

/** Somebody may have removed it from the disk. */
function isWhole(place: string): boolean {
  return ['files', 'home'].every((part) => lstatSync(at(place, part), { throwIfNoEntry: false })?.isDirectory())
}

function beginsWith(layers: readonly Stackable[], ids: readonly LayerId[]): boolean {
  return ids.length <= layers.length && ids.every((id, index) => layers[index]?.id === id)
}

function foldersIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => /^joined-[0-9a-f]{16}$/.test(name)) : []
}

const recordName = 'joined.json'

/** The record comes last, so a folder without one is not complete. */
function writeRecord(place: string, record: Pick<Joined, 'of' | 'home'>): void {
  writeFileSync(at(place, `${recordName}.new`), JSON.stringify(record), { mode: 0o600 })
  renameSync(at(place, `${recordName}.new`), at(place, recordName))
}

function readRecord(place: string): Pick<Joined, 'of' | 'home'> | undefined {
  try {
    const { of, home } = JSON.parse(readFileSync(at(place, recordName), 'utf8'))
    return Array.isArray(of) && of.length > 0 ? { of, home: home === true } : undefined
  } catch {
    return undefined
  }
}
