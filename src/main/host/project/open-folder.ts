import { join } from 'node:path'
import { systemClock } from '#adapters/clock/system-clock.ts'
import { openSharedTexts } from '#adapters/sqlite/shared-texts.ts'
import { claimOrMake, emptyMade, removeMade } from '#adapters/system/made-folders.ts'
import { type FolderApply, joinApplies } from '#core/folders/join-applies.ts'
import { joinBases } from '#core/folders/join-bases.ts'
import { eachFolder, othersOf, pathFrom } from '#core/paths/project-folders.ts'
import type { BaseTree } from '#core/ports/base-tree.ts'
import { choosePrefixes } from '#core/tools/namespace/prefixes.ts'
import { chooseRoutes, routeFolders, routeNotes } from '#core/tools/namespace/routes.ts'
import type { ProjectInfo } from '#shared/contract/views/projects.ts'
import { folderRoutes, givenFolders } from '../settings/folders.ts'
import { placesOf } from '../settings/settings-source.ts'
import { damageOf } from '../storage/project-backups.ts'
import { type OpenedFolder, openFolders } from './open-folders.ts'
import { openRoutes } from './open-routes.ts'
import type { OpenStore } from './open-store.ts'
import type { Opening } from './opening.ts'
import { readFolder } from './project-place.ts'

export type OpenFolder = Awaited<ReturnType<typeof openFolder>>

/**
 * The second stage: the person's folders, which are only read here, and the places beside them. Takes back what an apply
 * left that a crash cut off. A workspace in memory has no folder.
 */
export async function openFolder(opening: Opening, store: OpenStore) {
  const { place } = opening
  const temporary = await claimTemporary(opening)
  const { folders, problems } = await openFolders(opening, store)
  const base = joinBases(eachFolder(folders, ({ root, path, base: own }) => ({ root, path: path ?? '', base: own })))
  const opened = await openPlaces(opening, store, base)
  const recovered = folders.flatMap(({ root, recovered: all }) =>
    all.map((one) => ({ ...one, paths: one.paths.map((path) => pathFrom({ root }, path)) })),
  )
  return {
    ...{ base, folders, temporary, recovered },
    ...keepInfo(opening, store, othersOf(folders)),
    ...opened,
    routeNotes: [...problems, ...opened.routeNotes],
    diskApply: place.rootFolder === null ? null : joinApplies(eachFolder(folders, applyOf)),
  }
}

function applyOf({ root, diskApply }: OpenedFolder): FolderApply {
  if (diskApply === null) throw new Error('A workspace in memory is never written.')
  return { root, disk: diskApply }
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

/** The built-in places beside the project, and those of the settings, under names that hide none of its files. */
async function openPlaces({ options, settings, place, cleanup }: Opening, { log }: OpenStore, base: BaseTree) {
  const prefixes = await choosePrefixes(base)
  const texts = cleanup.use(openSharedTexts(join(options.dataFolder, 'shared.db'), systemClock))
  const { routes: ofSettings, folders } = settings.read()
  const given = folderRoutes(givenFolders(folders, place.rootFolder), place.rootFolder, placesOf(options))
  const opened = cleanup.use(await openRoutes(options, place, [...ofSettings, ...given.used], texts))
  const names = [...log.families().values()].flatMap((family) => family.names)
  const trees = log.trees.heads.values()
  const { routes, problems } = await chooseRoutes(prefixes, opened.wanted, { base, names, trees })
  const wrong = given.problems.map((problem) => `Folders: ${problem}`)
  return {
    prefixes,
    routes,
    foldersBeside: routeFolders(routes),
    routeNotes: [...wrong, ...opened.problems, ...problems, ...routeNotes(routes)],
  }
}

/** What is known of the project now. Only trust changes while it is open. */
function keepInfo({ place }: Opening, { database }: OpenStore, others: readonly OpenedFolder[]) {
  let known: ProjectInfo = { ...place.info, damage: damageOf(database) }
  return {
    info: () => (place.rootFolder === null ? known : { ...known, ...readFolder(place.rootFolder, others) }),
    isTrusted: () => known.trusted,
    setTrusted(trusted: boolean) {
      known = { ...known, trusted }
    },
  }
}
