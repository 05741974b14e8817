import { createIgnoreRules, type IgnoreRules } from '#overlay'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { ancestorsOf, isWithin, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { BaseTree } from './base-tree.ts'
import {
  type BranchMount,
  BranchMountError,
  type BranchMounts,
  type Evicted,
  type LeftFile,
  type MissingLayers,
  type MountCapture,
  type MountChange,
  type MountEntry,
  type NotKept,
  type PlaceChange,
  type PlaceRequest,
} from './branch-mounts.ts'
import { folderOf, type Machine, type MachineNode } from './machine.testkit.ts'

type Contents = ReadonlyMap<VirtualPath, MachineNode>

const noLayer = '' as LayerId

/** What is kept for one owner between its mounts. */
interface Owner {
  readonly folder: string
  last: Promise<unknown>
}

/** What one command left: all ignored files, and all of the home. */
interface MemoryLayer {
  readonly files: Contents
  readonly home: Contents
  /** The branch's changes when the command ran. */
  readonly overlay: readonly MountEntry[]
}

/**
 * Mounts as copies of the base on a machine in memory. A copy is made when a mount is opened, so later changes of the
 * base show only in the next one. Programs are scripts of the machine's shell, which start in the mount's folder.
 * A layer holds all ignored files, so what the disk changed there is never shown. Places are written
 * anew for each mount, and nothing keeps programs from writing to one that they may only read. A layer larger than `room`
 * bytes is not kept.
 */
export function createMemoryBranchMounts(
  machine: Machine,
  base: BaseTree,
  { place = '/mounts', room = Number.POSITIVE_INFINITY, committed = new Map<string, string>() } = {},
): BranchMounts {
  const owners = new Map<string, Owner>()
  const layers = new Map<LayerId, MemoryLayer>()
  const shownBy = new Map<BranchMount, readonly LayerId[]>()
  const fresh = new Set<LayerId>()
  const dropped = new Set<LayerId>()
  let made = 0

  function ownerOf(name: string): Owner {
    const owner = owners.get(name) ?? {
      folder: `${place}/${owners.size + 1}`,
      last: Promise.resolve(),
    }
    owners.set(name, owner)
    return owner
  }

  function unusedLayers(used: ReadonlySet<LayerId>): readonly LayerId[] {
    for (const id of used) fresh.delete(id)
    const shown = new Set([...shownBy.values()].flat())
    return [...layers.keys()].filter((id) => !used.has(id) && !shown.has(id) && !fresh.has(id))
  }

  function whyMissing(id: LayerId | undefined): MissingLayers | null {
    if (id === undefined) return null
    return dropped.has(id) ? 'dropped' : 'damaged'
  }

  async function make(owner: Owner, overlay: readonly MountEntry[], layer?: MemoryLayer) {
    const folders = { files: `${owner.folder}/files`, home: `${owner.folder}/home`, temporary: `${owner.folder}/tmp` }
    for (const folder of Object.values(folders)) machine.remove(folder)
    for (const folder of Object.values(folders)) machine.put(folder, { kind: 'directory' })
    await copyBase(machine, base, rootPath, folders.files)
    for (const entry of overlay) putEntry(machine, folders.files, entry)
    const rules = rulesOf(machine, folders.files)
    const gone = layer ? givenUp(layer, overlay) : new Set<VirtualPath>()
    if (layer) {
      const before = [...contentsOf(machine, folders.files)]
      for (const [path, node] of before)
        if (isLeftOut(rules, path, node.kind === 'directory')) machine.remove(folders.files + path)
      for (const [path, node] of layer.home) machine.put(folders.home + path, node)
      for (const [path, node] of layer.files)
        machine.put(gone.has(path) ? `${folders.home}/kept/1${path}` : folders.files + path, node)
      for (const [path, node] of before) if (gone.has(path)) machine.put(folders.files + path, node)
    }
    const before = contentsOf(machine, folders.files)
    const mount: OpenMount = { ...folders, before, homeBefore: contentsOf(machine, folders.home) }
    const evicted = [...gone].sort().map((path) => ({ path, why: 'branch', keptAs: `~/kept/1${path}` }) as const)
    return { mount, evicted }
  }

  return {
    async joinLayers({ start, own, onto }) {
      const [before, under] = [layers.get(start.at(-1) ?? noLayer), layers.get(onto.at(-1) ?? noLayer)]
      const top = layers.get(own.at(-1) ?? noLayer)
      if (!top) return { layers: onto, evicted: [] }
      const files = new Map(under?.files)
      const home = new Map([...(under?.home ?? []), ...top.home])
      const evicted: Evicted[] = []
      for (const [path, node] of top.files) {
        const [was, is] = [before?.files.get(path), files.get(path)]
        if (isSame(was, node)) continue
        if (is && !isSame(was, is) && !isSame(is, node)) {
          home.set(`/kept/1${path}` as VirtualPath, node)
          evicted.push({ path, why: 'commands', keptAs: `~/kept/1${path}` })
        } else files.set(path, node)
      }
      made += 1
      const id = `layer-${made}` as LayerId
      layers.set(id, { files, home, overlay: top.overlay })
      fresh.add(id)
      return { layers: [...onto, id], evicted: evicted.toSorted((a, b) => byCodeUnit(a.path, b.path)) }
    },
    findCommits: async () => [],
    findObjects: async () => [],
    findRepositories: async () => [],
    async findCommitted(files) {
      const isSame = (path: VirtualPath, bytes: Uint8Array) => committed.get(path) === new TextDecoder().decode(bytes)
      return new Set([...files].flatMap(([path, bytes]) => (isSame(path, bytes) ? [path] : [])))
    },
    async open({ owner: name, overlay, environment = [], places: beside, takesUp = false }, signal) {
      if (takesUp) throw new BranchMountError('failed', 'A machine in memory leaves nothing.')
      const owner = ownerOf(name)
      const before = owner.last
      const turn = Promise.withResolvers<void>()
      owner.last = before.then(() => turn.promise)
      try {
        await untilAborted(before, signal)
      } catch (error) {
        turn.resolve()
        throw error
      }
      const found = environment.map((id) => layers.get(id))
      const lost = found.indexOf(undefined)
      const ids = environment.slice(0, lost < 0 ? undefined : lost)
      const below = found[ids.length - 1]
      const { mount, evicted } = await make(owner, overlay, below)
      const places = openPlaces(machine, `${owner.folder}/places`, beside?.places ?? [])
      const capture = (keeps: boolean): MountCapture => {
        const captured = { ...captureOf(machine, mount), placeChanges: places.changes() }
        const layer = { files: leftOut(machine, mount.files), home: contentsOf(machine, mount.home), overlay }
        const changed = captured.ignoredChanges > 0 || !isSameAs(mount.homeBefore, layer.home) || evicted.length > 0
        if (!keeps || !changed) return { ...captured, environment: ids }
        if (bytesOf(nodesOf(layer)) > room) return { ...captured, environment: ids, unkept: 'The disk is full.' }
        made += 1
        const id = `layer-${made}` as LayerId
        layers.set(id, layer)
        fresh.add(id)
        const left = [
          ...leftFiles(leftOut(machine, mount.files, mount.before), layer.files, ''),
          ...leftFiles(mount.homeBefore, layer.home, '~'),
        ]
        return { ...captured, environment: [...ids, id], added: [id], ...(left.length > 0 && { left }) }
      }
      let added: readonly LayerId[] = []
      const opened: BranchMount = {
        folder: mount.files,
        home: mount.home,
        temporary: mount.temporary,
        places: places.found,
        leftOut: [],
        evicted,
        missing: whyMissing(environment[lost]),
        enter: (program) => program,
        look: async () => {
          const { changes, refusedLinks } = captureOf(machine, mount)
          return { changes, ...(refusedLinks && { refusedLinks }) }
        },
        capture: async (keeps = true) => {
          const captured = capture(keeps)
          added = captured.environment.filter((id) => !ids.includes(id))
          return captured
        },
        dropCaptured() {
          for (const id of added) layers.delete(id)
        },
        async [Symbol.asyncDispose]() {
          shownBy.delete(opened)
          machine.remove(mount.files)
          turn.resolve()
        },
      }
      shownBy.set(opened, ids)
      return opened
    },
    async remove(name) {
      const owner = owners.get(name)
      if (!owner) return
      await owner.last
      machine.remove(owner.folder)
    },
    async countShowable(wanted) {
      const missing = wanted.findIndex((id) => !layers.has(id))
      return missing < 0 ? wanted.length : missing
    },
    layerUsage: async () => [...layers].map(([id, layer]) => ({ id, bytes: bytesOf(nodesOf(layer)), usedAt: 0 })),
    async dropLayers(ids) {
      const shown = new Set([...shownBy.values()].flat())
      for (const id of ids) {
        if (shown.has(id) || !layers.delete(id)) continue
        dropped.add(id)
      }
    },
    async keepLayers(used) {
      for (const id of unusedLayers(used)) layers.delete(id)
    },
    findStrategy: async () => ({ kind: 'copy', reason: 'It is a copy in memory.' }),
    async storedBytes(used) {
      const unused = bytesOf(unusedLayers(used).flatMap((id) => nodesOf(layers.get(id))))
      const all = [...machine.below(place).map(([, node]) => node), ...[...layers.values()].flatMap(nodesOf)]
      return { bytes: bytesOf(all), unused }
    },
    async [Symbol.asyncDispose]() {
      machine.remove(place)
      owners.clear()
    },
  }
}

interface OpenMount {
  readonly files: string
  readonly home: string
  readonly temporary: string
  readonly before: Contents
  readonly homeBefore: Contents
}

function nodesOf(layer: MemoryLayer | undefined): readonly MachineNode[] {
  return layer ? [...layer.files.values(), ...layer.home.values()] : []
}

function bytesOf(nodes: readonly MachineNode[]): number {
  return nodes.reduce((sum, node) => sum + (node.kind === 'file' ? node.bytes.length : 0), 0)
}

function isSameAs(before: Contents, after: Contents): boolean {
  return before.size === after.size && [...after].every(([path, node]) => isSame(before.get(path), node))
}

/** The paths of a layer that the branch changed since. */
function givenUp(layer: MemoryLayer, overlay: readonly MountEntry[]): ReadonlySet<VirtualPath> {
  const textOf = (entry: MountEntry) => `${entry.path} ${entry.kind} ${'content' in entry ? entry.content : ''}`
  const before = layer.overlay.map(textOf)
  const changed = overlay.filter((entry) => entry.kind !== 'directory' && !before.includes(textOf(entry)))
  return new Set([...layer.files.keys()].filter((path) => changed.some((entry) => isWithin(path, entry.path))))
}

async function copyBase(machine: Machine, base: BaseTree, folder: VirtualPath, files: string): Promise<void> {
  for (const { name, node } of (await base.list(folder))?.entries ?? []) {
    const path = (folder === rootPath ? `/${name}` : `${folder}/${name}`) as VirtualPath
    if (node.kind === 'file') {
      machine.put(files + path, { kind: 'file', bytes: await base.read(path), executable: node.executable })
    } else if (node.kind === 'symlink') machine.put(files + path, { kind: 'symlink', target: node.target })
    else if (node.kind === 'directory') {
      machine.put(files + path, { kind: 'directory' })
      await copyBase(machine, base, path, files)
    }
  }
}

/** Writes an entry without following links of the base. Anything in the way is replaced by folders. */
function putEntry(machine: Machine, files: string, entry: MountEntry): void {
  const place = files + entry.path
  if (entry.kind === 'absent' || (entry.kind === 'directory' && entry.opaque)) machine.remove(place)
  if (entry.kind === 'directory') machine.put(place, { kind: 'directory' })
  if (entry.kind === 'symlink') machine.put(place, { kind: 'symlink', target: entry.target })
  if (entry.kind === 'file') machine.put(place, { kind: 'file', bytes: entry.read(), executable: entry.executable })
}

function contentsOf(machine: Machine, files: string): Contents {
  return new Map(machine.below(files).map(([path, node]) => [path as VirtualPath, node]))
}

function rulesOf(machine: Machine, files: string): IgnoreRules {
  return createIgnoreRules((folder) => {
    const node = machine.look(`${files}${folder === '/' ? '' : folder}/.gitignore`)
    return node?.kind === 'file' ? new TextDecoder().decode(node.bytes) : undefined
  })
}

function isLeftOut(rules: IgnoreRules, path: VirtualPath, isDirectory: boolean): boolean {
  return /\/\.git(\/|$)/i.test(path) || rules.isIgnored(path, isDirectory)
}

function leftFiles(before: Contents, after: Contents, name: string): readonly LeftFile[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((path) => {
    const [was, is] = [before.get(path), after.get(path)]
    if ((was && is && isSame(was, is)) || (is ?? was)?.kind === 'directory') return []
    return [{ path: `${name}${path}`, isGone: !is, isProgram: is?.kind === 'file' && is.executable === true }]
  })
}

function leftOut(machine: Machine, files: string, contents = contentsOf(machine, files)): Contents {
  const rules = rulesOf(machine, files)
  const all = [...contents]
  return new Map(all.filter(([path, node]) => isLeftOut(rules, path, node.kind === 'directory')))
}

/** How the files differ from those with which the mount was opened. */
function captureOf(machine: Machine, { files, before }: OpenMount): Omit<MountCapture, 'placeChanges' | 'environment'> {
  const after = contentsOf(machine, files)
  const rules = rulesOf(machine, files)
  const changes: MountChange[] = []
  const notKept: NotKept[] = []
  let ignoredChanges = 0
  for (const [path, node] of after) {
    if (isSame(before.get(path), node)) continue
    if (isLeftOut(rules, path, node.kind === 'directory')) {
      if (node.kind !== 'directory') ignoredChanges += 1
    } else if (node.kind === 'special') notKept.push({ path, size: 0, why: 'special' })
    else changes.push(changeTo(files, path, node))
  }
  for (const [path, node] of before) {
    if (after.has(path)) continue
    if (!isLeftOut(rules, path, node.kind === 'directory')) changes.push({ kind: 'absent', path })
    else if (node.kind !== 'directory') ignoredChanges += 1
  }
  const kept = changes.filter((change) => !leadsOut(change))
  const refusedLinks = changes.flatMap((change) => (leadsOut(change) ? [change] : []))
  return {
    changes: withoutImplied(kept, after),
    ignoredChanges,
    ...(notKept.length > 0 && { notKept }),
    ...(refusedLinks.length > 0 && { refusedLinks: refusedLinks.map(({ path, target }) => ({ path, target })) }),
  }
}

/** True for a link to an absolute place. What leads out by way of dots or other links only the adapter knows. */
function leadsOut(change: MountChange): change is Extract<MountChange, { kind: 'symlink' }> {
  return change.kind === 'symlink' && change.target.startsWith('/')
}

/** Writes the files of the places, and finds out later what programs changed. */
function openPlaces(machine: Machine, folder: string, places: readonly PlaceRequest[]) {
  machine.remove(folder)
  for (const { path, files } of places) {
    machine.put(folder + path, { kind: 'directory' })
    for (const file of files) {
      const bytes = file.read()
      if (bytes) machine.put(folder + file.path, { kind: 'file', bytes, executable: false })
    }
  }
  const before = contentsOf(machine, folder)
  return {
    found: places.map(({ path, name, writable }) => ({ path, name, writable, folder: folder + path })),
    changes(): readonly PlaceChange[] {
      const after = contentsOf(machine, folder)
      const written = [...after].flatMap(([path, node]): PlaceChange[] => {
        if (node.kind === 'directory' || isSame(before.get(path), node)) return []
        if (node.kind === 'file') return [{ kind: 'file', path, bytes: node.bytes }]
        return [{ kind: 'refused', path, why: node.kind === 'symlink' ? 'a link' : 'not a regular file' }]
      })
      const gone = [...before].flatMap(([path, node]): PlaceChange[] =>
        node.kind === 'directory' || after.has(path) ? [] : [{ kind: 'absent', path }],
      )
      return [...written, ...gone].sort((a, b) => byCodeUnit(a.path, b.path))
    },
  }
}

function isSame(a: MachineNode | undefined, b: MachineNode): boolean {
  if (a?.kind !== b.kind) return false
  if (a.kind === 'symlink' && b.kind === 'symlink') return a.target === b.target
  if (a.kind !== 'file' || b.kind !== 'file') return true
  const sameBytes = a.bytes.length === b.bytes.length && a.bytes.every((byte, index) => byte === b.bytes[index])
  return sameBytes && a.executable === b.executable
}

function changeTo(files: string, path: VirtualPath, node: Exclude<MachineNode, { kind: 'special' }>): MountChange {
  if (node.kind === 'file') return { kind: 'file', path, bytes: node.bytes, executable: node.executable }
  if (node.kind === 'directory') return { kind: 'directory', path }
  return { kind: 'symlink', path, target: linkWithin(files, path, node.target) }
}

/** Makes an absolute link into the copy relative, because the copy's path will not exist later. */
function linkWithin(files: string, path: VirtualPath, target: string): string {
  if (!target.startsWith(`${files}/`)) return target
  const [from, to] = [folderOf(path), target.slice(files.length)].map((one) => one.split('/').filter(Boolean))
  let shared = 0
  while (shared < (from?.length ?? 0) && from?.[shared] === to?.[shared]) shared += 1
  return [...(from ?? []).slice(shared).map(() => '..'), ...(to ?? []).slice(shared)].join('/')
}

/** Leaves out folders that new files imply, and paths below a removed or replaced path. */
function withoutImplied(changes: readonly MountChange[], after: Contents): readonly MountChange[] {
  const filled = new Set([...after.keys()].flatMap((path) => ancestorsOf(path)))
  const covering = new Set(changes.filter(({ kind }) => kind !== 'directory').map(({ path }) => path))
  return changes
    .filter(({ kind, path }) => {
      if (kind === 'directory') return !filled.has(path)
      return kind !== 'absent' || !ancestorsOf(path).some((folder) => covering.has(folder))
    })
    .sort((a, b) => byCodeUnit(a.path, b.path))
}

function untilAborted(before: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([before, aborted.promise]).finally(() => signal.removeEventListener('abort', abort))
}
