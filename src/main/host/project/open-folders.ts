import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { sync as writeFileAtomic } from 'write-file-atomic'
import { z } from 'zod'
import { createDiskApply } from '#adapters/disk/disk-apply.ts'
import { createDiskBaseTree } from '#adapters/disk/disk-base-tree.ts'
import { guardFolder } from '#adapters/disk/folder-identity.ts'
import { type RecoveredApply, recoverApply } from '#adapters/disk/restore-apply.ts'
import { lookAt } from '#adapters/system/look-at.ts'
import { textIfReadable } from '#adapters/system/read-bounded.ts'
import { type WatchMode, watchModeOf } from '#adapters/watch/watch-mode.ts'
import type { BaseTree } from '#core/ports/base-tree.ts'
import { folderVariable } from '#core/ports/branch-mounts.ts'
import { type ApplyStep, type DiskApply, DiskApplyError, type StepCheck } from '#core/ports/disk-apply.ts'
import { usualPrefixes } from '#core/tools/namespace/prefixes.ts'
import { createMemoryBaseTree } from '#overlay'
import { nodeHashing } from '#overlay/node'
import { WireError } from '#shared/contract/wire-errors.ts'
import { isGitName } from '#shared/model/git-names.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { type GivenFolder, givenFolders } from '../settings/folders.ts'
import { checkRoutes, isInside } from '../settings/routes.ts'
import { placesOf } from '../settings/settings-source.ts'
import type { OpenStore } from './open-store.ts'
import type { Opening } from './opening.ts'
import { placeInside } from './project-place.ts'

/** A folder of the project, as it was opened. */
export interface OpenedFolder {
  /** Where agents have it: `/` for the first one. */
  readonly root: VirtualPath
  readonly name: string
  /** Absolute, for people. Null for the first folder of a workspace in memory. */
  readonly path: string | null
  /** The same for adapters: null also for a folder that is gone. */
  readonly rootFolder: string | null
  /** The folder for what belongs to it inside the data folder. */
  readonly dataFolder: string
  readonly base: BaseTree
  /** The path of the app's data inside of it. Null when that lies elsewhere. */
  readonly hidden: VirtualPath | null
  readonly diskApply: DiskApply | null
  /** Throws when another folder took its place. */
  readonly requireSame: () => void
  readonly watchMode: WatchMode
  readonly recovered: readonly RecoveredApply[]
  /** True when nothing is on disk at its path. Then there is nothing in it but what branches changed. */
  readonly isGone: boolean
}

export interface OpenedFolders {
  /** The first one is the project's own. */
  readonly folders: readonly [OpenedFolder, ...OpenedFolder[]]
  /** A sentence for each folder that cannot be used. */
  readonly problems: readonly string[]
}

/**
 * Opens the project's own folder and those that a person added to be changed. Those are remembered with the project, since what
 * branches changed in them must never be taken for files of another folder.
 */
export async function openFolders(opening: Opening, store: OpenStore): Promise<OpenedFolders> {
  const { place, options, settings } = opening
  const { rootFolder, dataFolder, info } = place
  const recordFile = join(dataFolder, 'folders.json')
  const first = await openOne(opening, { root: rootPath, name: info.name, path: rootFolder }, dataFolder)
  const known = readRecord(recordFile)
  const wanted = givenFolders(settings.read().folders, rootFolder).filter(({ access }) => access === 'write')
  const problems: string[] = []
  const taken = new Set([...(await namesIn(first.base, store)), ...known.flatMap(({ name }) => marksOf(name))])
  const all = [...known]
  for (const one of wanted) {
    const path = checkPath(one, rootFolder, placesOf(options))
    if (typeof path === 'object') {
      problems.push(`Folders: ${path.problem}`)
      continue
    }
    if (all.some((other) => other.path === path)) continue
    const inside = all.find((other) => isInside(path, other.path) || isInside(other.path, path))
    if (inside) {
      problems.push(`Folders: ${path} and ${inside.path} lie in each other. Only the one that was there first is used.`)
      continue
    }
    const root = freeRoot(nameFor(one.name), taken)
    all.push({ root, name: root.slice(1), path })
  }
  if (all.length > known.length)
    writeFileAtomic(recordFile, `${JSON.stringify({ folders: all }, null, 2)}\n`, { mode: 0o600 })
  const others: OpenedFolder[] = []
  for (const one of all) {
    if ((await first.base.statUnlinked(one.root)) !== undefined)
      problems.push(
        `The project’s own folder has something of its own at ${one.root}, which is the folder ${one.path} for agents: they do not see it. Rename it to use both.`,
      )
    const own = join(dataFolder, 'folders', createHash('sha256').update(one.path).digest('hex').slice(0, 16))
    const opened = await openOne(opening, one, own)
    if (opened.isGone)
      problems.push(
        `The folder ${one.path}, which is ${one.root} of this project, is not there. Put it back to use it.`,
      )
    others.push(opened)
  }
  return { folders: [first, ...others], problems }
}

type KnownFolder = Pick<OpenedFolder, 'root' | 'name'> & { readonly path: string }

const record = z.object({
  folders: z.array(
    z.object({ root: z.string().transform((path) => path as VirtualPath), name: z.string(), path: z.string() }),
  ),
})

/** Throws for a record that cannot be read: without it, changes of one folder would count as those of another. */
function readRecord(file: string): readonly KnownFolder[] {
  if (lookAt(file) === undefined) return []
  try {
    return record.parse(JSON.parse(textIfReadable(file) ?? '')).folders
  } catch {
    throw new WireError(
      'UNREADABLE',
      `${file} cannot be read. It says which folders this project has. Correct it, or put it back from a backup.`,
    )
  }
}

async function openOne(
  { options, place }: Opening,
  { root, name, path }: Pick<OpenedFolder, 'root' | 'name' | 'path'>,
  dataFolder: string,
): Promise<OpenedFolder> {
  const own = { root, name, path, dataFolder }
  const isGone = path !== null && root !== rootPath && !isThere(path)
  if (path === null || isGone)
    return {
      ...{
        ...own,
        isGone,
        rootFolder: null,
        base: createMemoryBaseTree(),
        hidden: null,
        diskApply: path === null ? null : nowhere,
      },
      ...{ requireSame: () => {}, watchMode: 'events' as const, recovered: [] },
    }
  const hidden = await placeInside(path, options.dataFolder)
  const recordFolder = join(dataFolder, 'apply')
  await mkdir(recordFolder, { recursive: true, mode: 0o700 })
  const recovered = await recoverApply({
    ...{ recordFolder, rootFolder: path, hashing: nodeHashing },
    onAside: (folder, why) =>
      options.log(
        `The record of an interrupted apply to ${place.info.name} ${why}. The record and the files that the apply replaced are kept in ${folder}.`,
        'damaged apply record',
      ),
  })
  return {
    ...{ ...own, isGone, rootFolder: path, hidden, recovered },
    base: createDiskBaseTree(path, hidden),
    diskApply: createDiskApply({ rootFolder: path, recordFolder, hashing: nodeHashing, hidden }),
    requireSame: guardFolder(path),
    watchMode: watchModeOf(path, options.environment),
  }
}

function isThere(path: string): boolean {
  try {
    return realpathSync.native(path) === path && lookAt(path)?.isDirectory() === true
  } catch {
    return false
  }
}

/** Writes to a folder that is not there. */
const nowhere: DiskApply = {
  check: async (steps: readonly ApplyStep[]) =>
    steps.map(({ path }): StepCheck => ({ path, state: 'refused', why: 'Its folder is not on disk.' })),
  async apply() {
    throw new DiskApplyError('refused', 'The folder is not on disk, so nothing was written.')
  },
}

/** The real path of a folder that branches can change beside the project's own, or what is wrong with it. */
export function checkPath(
  { name, path }: GivenFolder,
  rootFolder: string | null,
  places: ReturnType<typeof placesOf>,
): string | { readonly problem: string } {
  if (rootFolder === null) return { problem: 'A workspace without a folder has no other folders either.' }
  const { used, problems } = checkRoutes({ [`/${nameFor(name)}/`]: { kind: 'folder', path, write: 'never' } }, places)
  const setting = used[0]?.setting
  if (setting?.kind !== 'folder') return { problem: problems[0] ?? `${path} cannot be used.` }
  const { path: real } = setting
  if (!isAbsolute(real) || isInside(real, rootFolder) || isInside(rootFolder, real))
    return {
      problem: `${real} and the project’s own folder lie in each other. Agents see all of it already, or open ${real} as the project.`,
    }
  return real
}

async function namesIn(base: BaseTree, { log }: OpenStore): Promise<readonly string[]> {
  const listed = (await base.list(rootPath))?.entries.map(({ name }) => name) ?? []
  const ofFamilies = [...log.families().values()].flatMap((family) => family.names)
  const usual = usualPrefixes.map((prefix) => prefix.slice(1, -1))
  return [...listed, ...ofFamilies, ...usual, 'refs'].map((name) => name.toLowerCase())
}

/** The name, or a like one that a path of agents can have and that is no place of the app. */
function nameFor(name: string): string {
  const plain = name.replace(/[\p{C}\p{Zl}\p{Zp}*?[\]{}\\]+/gu, '-')
  if (/^\.*$/.test(plain) || isGitName(plain)) return 'folder'
  return usualPrefixes.includes(`/${plain.toLowerCase()}/`) ? `${plain}-2` : plain
}

/** What no two folders may have in common. */
function marksOf(name: string): readonly string[] {
  return [name.toLowerCase(), folderVariable(name)]
}

/** A name that nothing in the project has, with a variable of its own. */
function freeRoot(name: string, taken: Set<string>): VirtualPath {
  let candidate = name
  for (let suffix = 2; marksOf(candidate).some((mark) => taken.has(mark)); suffix += 1) candidate = `${name}-${suffix}`
  for (const mark of marksOf(candidate)) taken.add(mark)
  return `/${candidate}` as VirtualPath
}
