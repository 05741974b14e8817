import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '#adapters/clock/system-clock.ts'
import { createDiskApply } from '#adapters/disk/disk-apply.ts'
import { createDiskBaseTree } from '#adapters/disk/disk-base-tree.ts'
import { guardFolder } from '#adapters/disk/folder-identity.ts'
import { recoverApply } from '#adapters/disk/restore-apply.ts'
import { openSharedTexts } from '#adapters/sqlite/shared-texts.ts'
import { claimOrMake, emptyMade, removeMade } from '#adapters/system/made-folders.ts'
import { watchModeOf } from '#adapters/watch/watch-mode.ts'
import type { BaseTree } from '#core/ports/base-tree.ts'
import { choosePrefixes } from '#core/tools/namespace/prefixes.ts'
import { chooseRoutes, routeNotes } from '#core/tools/namespace/routes.ts'
import { createMemoryBaseTree } from '#overlay'
import { nodeHashing } from '#overlay/node'
import type { ProjectInfo } from '#shared/contract/views/projects.ts'
import { damageOf } from '../storage/project-backups.ts'
import { openRoutes } from './open-routes.ts'
import type { OpenStore } from './open-store.ts'
import type { Opening } from './opening.ts'
import { placeInside, readFolder } from './project-place.ts'

export type OpenFolder = Awaited<ReturnType<typeof openFolder>>

/**
 * The second stage: the person's folder, which is only read here, and the places beside it. Takes back what an apply
 * left that a crash cut off. A workspace in memory has no folder.
 */
export async function openFolder(opening: Opening, store: OpenStore) {
  const { options, place } = opening
  const { rootFolder } = place
  const hidden = rootFolder === null ? null : await placeInside(rootFolder, options.dataFolder)
  const temporary = await claimTemporary(opening)
  const recordFolder = join(place.dataFolder, 'apply')
  const recovered = await takeBackApply(opening, recordFolder)
  const base = rootFolder === null ? createMemoryBaseTree() : createDiskBaseTree(rootFolder, hidden)
  return {
    ...{ base, hidden, temporary, recovered },
    ...keepInfo(opening, store),
    ...(await openPlaces(opening, store, base)),
    diskApply: rootFolder === null ? null : createDiskApply({ rootFolder, recordFolder, hashing: nodeHashing, hidden }),
    /** Throws when another folder took the place of the project's. */
    requireSame: rootFolder === null ? () => {} : guardFolder(rootFolder),
    watchMode: rootFolder === null ? ('events' as const) : watchModeOf(rootFolder, options.environment),
  }
}

/** Without what an earlier run left that was killed. Nobody else has the project open. */
async function claimTemporary({ options, place, cleanup }: Opening): Promise<string> {
  const { folder, problem } = claimOrMake(join(place.dataFolder, 'temporary'), 'work')
  if (problem !== null) {
    cleanup.defer(() => removeMade(folder))
    options.log(`Temporary files of ${place.info.name} are in ${folder}: ${problem}`, 'refused folder')
  }
  await emptyMade(folder).catch((error: unknown) => options.log(`${folder} keeps old files: ${error}`, 'old files'))
  return folder
}

async function takeBackApply({ options, place }: Opening, recordFolder: string) {
  await mkdir(recordFolder, { recursive: true, mode: 0o700 })
  if (place.rootFolder === null) return []
  return recoverApply({
    recordFolder,
    rootFolder: place.rootFolder,
    hashing: nodeHashing,
    onAside: (folder, why) =>
      options.log(
        `The record of an interrupted apply to ${place.info.name} ${why}. The record and the files that the apply replaced are kept in ${folder}.`,
        'damaged apply record',
      ),
  })
}

/** The built-in places beside the project, and those of the settings, under names that hide none of its files. */
async function openPlaces({ options, settings, place, cleanup }: Opening, { log }: OpenStore, base: BaseTree) {
  const prefixes = await choosePrefixes(base)
  const texts = cleanup.use(openSharedTexts(join(options.dataFolder, 'shared.db'), systemClock))
  const opened = cleanup.use(await openRoutes(options, place, settings.read().routes, texts))
  const names = [...log.families().values()].flatMap((family) => family.names)
  const trees = log.trees.heads.values()
  const { routes, problems } = await chooseRoutes(prefixes, opened.wanted, { base, names, trees })
  return { prefixes, routes, routeNotes: [...opened.problems, ...problems, ...routeNotes(routes)] }
}

/** What is known of the project now. Only trust changes while it is open. */
function keepInfo({ place }: Opening, { database }: OpenStore) {
  let known: ProjectInfo = { ...place.info, damage: damageOf(database) }
  return {
    info: () => (place.rootFolder === null ? known : { ...known, ...readFolder(place.rootFolder) }),
    isTrusted: () => known.trusted,
    setTrusted(trusted: boolean) {
      known = { ...known, trusted }
    },
  }
}
