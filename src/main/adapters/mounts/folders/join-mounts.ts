import { byFolder, folderWith, type InFolder, othersOf, pathFrom, pathIn } from '#core/paths/project-folders.ts'
import {
  type BranchMount,
  type BranchMounts,
  type Evicted,
  homeVariable,
  type JoinedLayerList,
  type LayerUsage,
  type LeftFile,
  type MountCapture,
  type MountChange,
  type MountEntry,
  type MountLook,
  type MountRequest,
  type NotKept,
} from '#core/ports/branch-mounts.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { EnterableMount, FolderMounts } from '../branch-mounts.ts'
import { createMountBase, type MountBase } from '../mount-base.ts'
import { enterAll } from '../namespace.ts'
import { onlyCopiesAt } from '../taken-changes.ts'

/** The mounts of one folder of a project. */
export interface JoinedFolder extends InFolder {
  readonly name: string
  /** Absolute. Null for a scratch workspace. */
  readonly path: string | null
  /** Of the layers of this folder. It never changes. Empty for the first folder. */
  readonly tag: string
  readonly mounts: FolderMounts
}

/** The first one is the project's own. */
type JoinedFolders = readonly [JoinedFolder, ...JoinedFolder[]]

/**
 * The mounts of several folders as one. A mount has a view of each; programs start in that of the first one, whose home,
 * places and folder for throw-away files they have. The id of a layer of another folder ends with `@` and the folder's tag.
 */
export function joinMounts(folders: JoinedFolders): BranchMounts {
  const [first] = folders
  if (folders.length === 1) return first.mounts
  const each = <Found>(ask: (folder: JoinedFolder) => Promise<Found>): Promise<readonly Found[]> =>
    Promise.all(folders.map(ask))
  return {
    ...first.mounts,
    open: (request, signal) => openAll(folders, request, signal),
    async findCommitted(files) {
      const found = new Set<VirtualPath>()
      for (const [folder, own] of byFolder(folders, files, ([path]) => path)) {
        const inner = new Map(own.map(([path, bytes]) => [pathIn(folder, path), bytes]))
        for (const path of await folder.mounts.findCommitted(inner)) found.add(pathFrom(folder, path))
      }
      return found
    },
    async joinLayers({ start, own, onto }) {
      const joined = await each(async (folder): Promise<JoinedLayerList> => {
        const of = (layers: readonly LayerId[]) => layersOf(folder, layers)
        const { layers, evicted } = await folder.mounts.joinLayers({ start: of(start), own: of(own), onto: of(onto) })
        return { layers: tagged(folder, layers), evicted: evictedFrom(folder, evicted) }
      })
      return { layers: joined.flatMap(({ layers }) => layers), evicted: joined.flatMap(({ evicted }) => evicted) }
    },
    async findCommits(layers, known = []) {
      const found = await each(async (folder) => {
        const commits = await folder.mounts.findCommits(layersOf(folder, layers), layersOf(folder, known))
        return commits
          .map((commit) => ({ ...commit, repository: pathFrom(folder, commit.repository) }))
          .filter(({ repository }) => folderWith(folders, repository) === folder)
      })
      return found.flat()
    },
    findObjects(layers, repository) {
      const folder = folderWith(folders, repository)
      return folder.mounts.findObjects(layersOf(folder, layers), pathIn(folder, repository))
    },
    async findRepositories(layers) {
      return (await each((folder) => repositoriesIn(folders, folder, layers))).flat()
    },
    async remove(owner) {
      await each(({ mounts }) => mounts.remove(owner))
    },
    async countShowable(layers) {
      const missing = new Set<LayerId>()
      await each(async (folder) => {
        const own = layersOf(folder, layers)
        const shown = await folder.mounts.countShowable(own)
        for (const id of tagged(folder, own.slice(shown, shown + 1))) missing.add(id)
      })
      const end = layers.findIndex((id) => missing.has(id))
      return end < 0 ? layers.length : end
    },
    async layerUsage() {
      const found = await each(async (folder) =>
        (await folder.mounts.layerUsage()).map((usage): LayerUsage => ({ ...usage, id: tag(folder, usage.id) })),
      )
      return found.flat()
    },
    async dropLayers(dropped) {
      await each((folder) => folder.mounts.dropLayers(new Set(layersOf(folder, [...dropped]))))
    },
    async keepLayers(used) {
      await each((folder) => folder.mounts.keepLayers(new Set(layersOf(folder, [...used]))))
    },
    async storedBytes(used) {
      const found = await each((folder) => folder.mounts.storedBytes(new Set(layersOf(folder, [...used]))))
      return found.reduce((one, other) => ({ bytes: one.bytes + other.bytes, unused: one.unused + other.unused }))
    },
    async [Symbol.asyncDispose]() {
      for (const { mounts } of folders) await mounts[Symbol.asyncDispose]()
    },
  }
}

async function repositoriesIn(folders: JoinedFolders, folder: JoinedFolder, layers: readonly LayerId[]) {
  const found = await folder.mounts.findRepositories(layersOf(folder, layers))
  return found
    .map((made) => ({
      folder: pathFrom(folder, made.folder),
      files: () => made.files().map((file) => ({ ...file, path: pathFrom(folder, file.path) })),
    }))
    .filter((made) => folderWith(folders, made.folder) === folder)
}

interface OpenFolder {
  readonly folder: JoinedFolder
  /** What the mount was opened with. */
  readonly overlay: readonly MountEntry[]
  readonly mount: EnterableMount
}

async function openAll(folders: JoinedFolders, request: MountRequest, signal: AbortSignal): Promise<BranchMount> {
  await using cleanup = new AsyncDisposableStack()
  const open = async (folder: JoinedFolder): Promise<OpenFolder> => {
    const own = requestIn(folders, folder, request)
    return { folder, overlay: own.overlay, mount: cleanup.use(await folder.mounts.open(own, signal)) }
  }
  const first = await open(folders[0])
  const others: OpenFolder[] = []
  for (const folder of othersOf(folders)) others.push(await open(folder))
  const all: readonly [OpenFolder, ...OpenFolder[]] = [first, ...others]
  const closing = cleanup.move()
  const { enterable, user, ...mount } = first.mount
  return {
    ...mount,
    others: others.map(({ folder, mount: { folder: view, home } }) => ({
      ...{ path: folder.root, name: folder.name, real: folder.path, folder: view, home },
    })),
    readable: all.flatMap((one) => one.mount.readable ?? []),
    evicted: all.flatMap((one) => evictedFrom(one.folder, one.mount.evicted)),
    missing: all.map((one) => one.mount.missing).find((why) => why !== null) ?? null,
    problem: joinedText(all.map((one) => one.mount.problem)) ?? null,
    readOnlyFiles: sum(all.map((one) => one.mount.readOnlyFiles)),
    closedFolders: sum(all.map((one) => one.mount.closedFolders)),
    enter: (program, confined = false) =>
      enterAll(
        [enterable(), ...others.map((one) => one.mount.enterable())],
        program,
        confined ? user : { kind: 'person' },
      ),
    async look() {
      const seen = await Promise.all(
        all.map(async ({ folder, mount: one }) => lookFrom(folders, folder, await one.look())),
      )
      if (seen.includes(null)) return null
      return joinLooks(seen.flatMap((look) => look ?? []))
    },
    async capture(keeps) {
      const captured: MountCapture[] = []
      for (const one of all) captured.push(await one.mount.capture(keeps))
      return all
        .flatMap(({ folder, overlay }, at) => {
          const [own, leftOut] = [captured[at], captured.toSpliced(at, 1).flatMap(({ notKept = [] }) => notKept)]
          return own
            ? [captureFrom(folders, folder, keepOnlyCopies(own, leftOut, createMountBase(overlay, folder.path)))]
            : []
        })
        .reduce(joinCaptures)
    },
    dropCaptured() {
      for (const one of all) one.mount.dropCaptured()
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

const gitFolder = '/.git' as VirtualPath

/** The part of a request that is about one folder. */
function requestIn(folders: JoinedFolders, folder: JoinedFolder, request: MountRequest): MountRequest {
  const { owner, overlay, environment = [], hiddenFiles = [], takesUp = false, ...ofFirst } = request
  const own = overlay.filter(({ path }) => folderWith(folders, path) === folder).map((entry) => entryIn(folder, entry))
  const isFirst = folder === folders[0]
  // A program that must find no repository must find none anywhere.
  const hidesGit = overlay.some(({ kind, path }) => kind === 'absent' && path === gitFolder)
  const covered = isFirst ? othersOf(folders).map(({ root }) => root) : hidesGit ? [gitFolder] : []
  const given = new Set(own.map(({ path }) => path))
  const hidden = covered.filter((path) => !given.has(path)).map((path): MountEntry => ({ kind: 'absent', path }))
  return {
    ...(isFirst && ofFirst),
    owner,
    overlay: [...own, ...hidden].sort((a, b) => byCodeUnit(a.path, b.path)),
    environment: layersOf(folder, environment),
    hiddenFiles: hiddenFiles.filter((path) => folderWith(folders, path) === folder).map((path) => pathIn(folder, path)),
    takesUp,
  }
}

function entryIn(folder: InFolder, entry: MountEntry): MountEntry {
  const path = pathIn(folder, entry.path)
  return entry.kind === 'large' ? { ...entry, path, from: pathIn(folder, entry.from) } : { ...entry, path }
}

/** The layers of a folder among those of all folders, by the ids that its own mounts know. */
export function layersOf({ tag: own }: Pick<JoinedFolder, 'tag'>, layers: readonly LayerId[]): readonly LayerId[] {
  return layers.flatMap((layer) => {
    const [id = '', of = ''] = layer.split('@')
    return of === own ? [id as LayerId] : []
  })
}

function tag({ tag: own }: JoinedFolder, id: LayerId): LayerId {
  return (own === '' ? id : `${id}@${own}`) as LayerId
}

function tagged(folder: JoinedFolder, layers: readonly LayerId[]): readonly LayerId[] {
  return layers.map((id) => tag(folder, id))
}

/** What lies in the home of another folder's view is in a folder of its own in the home of commands. */
function homeFrom({ root, name }: JoinedFolder, place: string): string {
  return root !== rootPath && place.startsWith('~/') ? `$${homeVariable(name)}/${place.slice(2)}` : place
}

function evictedFrom(folder: JoinedFolder, evicted: readonly Evicted[]): readonly Evicted[] {
  return evicted.map((one) => ({
    ...one,
    path: pathFrom(folder, one.path),
    keptAs: one.keptAs === null ? null : homeFrom(folder, one.keptAs),
  }))
}

function changeFrom(folder: InFolder, change: MountChange): MountChange {
  const path = pathFrom(folder, change.path)
  return change.kind === 'large' ? { ...change, path, from: pathFrom(folder, change.from) } : { ...change, path }
}

function notKeptFrom(folder: JoinedFolder, one: NotKept): NotKept {
  const { keptAs } = one
  return {
    ...one,
    path: pathFrom(folder, one.path as VirtualPath),
    ...(typeof keptAs === 'string' && { keptAs: homeFrom(folder, keptAs) }),
  }
}

function leftFrom(folder: JoinedFolder, one: LeftFile): LeftFile {
  return {
    ...one,
    path: one.path.startsWith('~/') ? homeFrom(folder, one.path) : pathFrom(folder, one.path as VirtualPath),
  }
}

function lookFrom(folders: JoinedFolders, folder: JoinedFolder, look: MountLook | null): MountLook | null {
  if (look === null) return null
  const { refusedLinks } = look
  const [changes, notKept] = ownOf(folders, folder, look)
  return {
    changes: changes.map((change) => changeFrom(folder, change)),
    ...(refusedLinks && { refusedLinks: refusedLinks.map((one) => ({ ...one, path: pathFrom(folder, one.path) })) }),
    ...(notKept.length > 0 && { notKept: notKept.map((one) => notKeptFrom(folder, one)) }),
  }
}

/**
 * What programs changed in a folder, and what is not kept of it. They may make something in the first one where agents have
 * another one: its paths would be taken for those of that folder.
 */
function ownOf(
  folders: JoinedFolders,
  folder: JoinedFolder,
  { changes, notKept = [] }: MountLook,
): readonly [readonly MountChange[], readonly NotKept[]] {
  const rootOf = ({ path }: MountChange) => folderWith(folders, pathFrom(folder, path)).root
  const covered = new Set(changes.map(rootOf))
  covered.delete(folder.root)
  if (covered.size === 0) return [changes, notKept]
  const refused = [...covered].map((path): NotKept => ({ path, size: 0, why: 'other_folder' }))
  return [changes.filter((change) => rootOf(change) === folder.root), [...notKept, ...refused]]
}

function joinLooks(looks: readonly MountLook[]): MountLook {
  const refusedLinks = looks.flatMap((one) => one.refusedLinks ?? [])
  const notKept = looks.flatMap((one) => one.notKept ?? [])
  return {
    changes: looks.flatMap(({ changes }) => changes).sort((a, b) => byCodeUnit(a.path, b.path)),
    ...(refusedLinks.length > 0 && { refusedLinks }),
    ...(notKept.length > 0 && { notKept }),
  }
}

function captureFrom(folders: JoinedFolders, folder: JoinedFolder, captured: MountCapture): MountCapture {
  const { environment, added, left } = captured
  return {
    ...captured,
    ...lookFrom(folders, folder, captured),
    environment: tagged(folder, environment),
    ...(added && { added: tagged(folder, added) }),
    ...(left && { left: left.map((one) => leftFrom(folder, one)) }),
  }
}

/** Without the removal of what may now be in a file of another folder that is `leftOut`. */
function keepOnlyCopies(captured: MountCapture, leftOut: readonly NotKept[], base: MountBase): MountCapture {
  const copies = new Set(onlyCopiesAt(captured.changes, leftOut, base))
  if (copies.size === 0) return captured
  const notKept = [...copies].map((path): NotKept => ({ path, size: 0, why: 'only_copy' }))
  return {
    ...captured,
    changes: captured.changes.filter(({ path }) => !copies.has(path)),
    notKept: [...(captured.notKept ?? []), ...notKept],
  }
}

function joinCaptures(one: MountCapture, other: MountCapture): MountCapture {
  const added = [...(one.added ?? []), ...(other.added ?? [])]
  const left = [...(one.left ?? []), ...(other.left ?? [])]
  const unkept = joinedText([one.unkept, other.unkept])
  return {
    ...joinLooks([one, other]),
    ignoredChanges: one.ignoredChanges + other.ignoredChanges,
    environment: [...one.environment, ...other.environment],
    ...(added.length > 0 && { added }),
    ...(left.length > 0 && { left }),
    ...(unkept !== undefined && { unkept }),
    placeChanges: one.placeChanges,
  }
}

function joinedText(texts: readonly (string | null | undefined)[]): string | undefined {
  const said = new Set(texts.filter((text) => typeof text === 'string' && text !== ''))
  return said.size === 0 ? undefined : [...said].join(' ')
}

function sum(counts: readonly (number | undefined)[]): number {
  return counts.reduce<number>((total, count = 0) => total + count, 0)
}
