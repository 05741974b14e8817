import { join } from 'node:path'
import { appendTo } from '../../../src/main/core/journal/project-log.testkit.ts'
import { makeTree, temporaryFolder } from '../support/folders.ts'
import { openLocalHost } from '../support/local-host.ts'
import { medianOf } from '../support/measure.ts'
import { shortCount } from '../support/report.ts'
import { openSyncedAppend } from '../support/synced-writes.ts'
import type { Workspace } from '../support/workspace.ts'
import { forkBranch, forkSubagent, makeForkable } from './forks.ts'

/** Medians of the rounds, by the kind of fork. */
export interface Forks {
  readonly places: readonly { readonly name: string; readonly branch: readonly number[] }[]
  /** Forks of whole subagents, in a place of their own. */
  readonly subagent: readonly number[]
  /** The first hundred forks in every place after it was opened. */
  readonly early: readonly number[]
  readonly synced: readonly number[]
}

const treeSizes = [1_000, 10_000, 100_000]
const overlaySizes = [0, 1_000, 10_000]
const rounds = 12
const forksInRound = 15
/**
 * Every commit makes the write-ahead log longer until it reaches its full length, and that takes the disk more time.
 * The warm-up lasts until every place has reached it.
 */
const earlyForks = 100
const warmUpCommits = 200
/** The bytes that one committed branch row adds to the write-ahead log: one page of the database and its frame. */
const bytesOfCommit = 16_384 + 24

/** Forks in every place, in turns, so that a slow moment of the disk affects all of them. */
export async function measureForks(): Promise<Forks> {
  using folder = temporaryFolder()
  await using cleanup = new AsyncDisposableStack()
  const places = await openPlaces(folder.path, cleanup)
  const subagents = await openSubagentPlace(folder.path, cleanup)
  const synced = cleanup.use(openSyncedAppend(folder.path, bytesOfCommit))
  warmUp(subagents)
  const early = places.flatMap(({ place }) => warmUp(place))
  const results = places.map(({ name }) => ({ name, branch: [] as number[] }))
  const [subagent, appended]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    const figures = inTurns(places, round, ({ place }) => medianOfRound(() => forkBranch(place)))
    const others = [medianOfRound(() => forkSubagent(subagents)), medianOfRound(() => synced.append())] as const
    for (const [index, figure] of figures.entries()) results[index]?.branch.push(figure)
    subagent.push(others[0])
    appended.push(others[1])
  }
  return { places: results, subagent, early, synced: appended }
}

function warmUp(place: Workspace): readonly number[] {
  const early = Array.from({ length: earlyForks }, () => forkBranch(place))
  const { log } = place.project.services
  for (let commit = 0; commit < warmUpCommits; commit += 1) {
    appendTo(log, [{ type: 'thread.titled', threadId: place.threadId, title: `Fork ${commit}` }])
  }
  return early
}

/** Starts each round with another place. The figures are returned in the places' own order. */
function inTurns<Place>(places: readonly Place[], round: number, act: (place: Place) => number): readonly number[] {
  const first = round % places.length
  const figures = [...places.slice(first), ...places.slice(0, first)].map(act)
  return [...figures.slice(places.length - first), ...figures.slice(0, places.length - first)]
}

function medianOfRound(act: () => number): number {
  return medianOf(Array.from({ length: forksInRound }, act))
}

async function openPlaces(
  folder: string,
  cleanup: AsyncDisposableStack,
): Promise<readonly { readonly name: string; readonly place: Workspace }[]> {
  for (const size of treeSizes) makeTree(join(folder, String(size)), size, 60)
  const places: { name: string; place: Workspace }[] = []
  for (const changes of overlaySizes) {
    const host = cleanup.use(await openLocalHost(join(folder, `data-${changes}`)))
    for (const size of treeSizes) {
      const project = await host.projects.open(join(folder, String(size)))
      places.push({
        name: `${shortCount(size)} files, ${shortCount(changes)} changes`,
        place: makeForkable(project, changes),
      })
    }
  }
  return places
}

async function openSubagentPlace(folder: string, cleanup: AsyncDisposableStack): Promise<Workspace> {
  const host = cleanup.use(await openLocalHost(join(folder, 'data-subagents')))
  return makeForkable(await host.projects.open(join(folder, '1000')), 0)
}

/** The first and the last twenty of a thousand forks of one workspace. */
export async function measureGrowth(): Promise<{
  readonly first: readonly number[]
  readonly last: readonly number[]
}> {
  using folder = temporaryFolder()
  makeTree(join(folder.path, 'tree'), 1_000, 60)
  await using host = await openLocalHost(join(folder.path, 'data'))
  const place = makeForkable(await host.projects.open(join(folder.path, 'tree')), 0)
  warmUp(place)
  const figures = Array.from({ length: 1_000 }, () => forkBranch(place))
  return { first: figures.slice(0, 20), last: figures.slice(-20) }
}
