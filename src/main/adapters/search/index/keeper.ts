import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { isWithin, joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { mountsBelow } from '../../system/mounts-below.ts'
import type { SearchRoot } from '../search-folder.ts'
import { isWhole, loadCatalogue, saveCatalogue } from './catalogue.ts'
import { findNames } from './find-names.ts'
import { type IndexedFolder, joinNames, namesOf } from './folder-table.ts'
import {
  type Candidates,
  type FoundNames,
  type IndexState,
  type IndexTask,
  type Question,
  tooMany,
} from './messages.ts'
import { foldersWith } from './names-list.ts'
import { digestOf, readSignature } from './read-folder.ts'
import type { Requirement } from './required-grams.ts'
import { createSegmentWriter, openSegment, type Segment } from './segment.ts'
import { createWatchedTree } from './watched-tree.ts'

export interface KeeperOptions extends IndexTask {
  readonly root: SearchRoot
  readonly listWithEngine: (foreign: readonly VirtualPath[]) => Promise<string | null>
}

export interface IndexKeeper {
  answer(question: Question): Promise<unknown>
}

/** How long synchronous work goes on before events and questions have their turn. */
const sliceMs = 8
const pollMs = 50
/** So many rests after a change of the index it is saved. */
const saveAfterRests = 1.5
/** After reading changed folders it rests so many times as long as that took, and at most `longestRestMs`. */
const restFactor = 2
const longestRestMs = 10_000
/** Folders in which changes never stop are read after so many rests. */
const mostRests = 5
/**
 * With more candidates than this, or than this part of all files, one run over everything is as quick: the engine takes
 * up to twice as long for a file that it is given by name.
 */
const mostCandidates = 20_000
const mostShare = 0.3
/** Beyond this many, the small segments are made again as one. */
const mostSegments = 10

/**
 * Keeps the index of one project: watches every folder that searches enter, reads what changed, and says which files a
 * search can leave out. A file is left out only if its folder had no event since the file was read, its signature proves
 * that it cannot match, and the engine lists the same files as this index.
 */
export function createIndexKeeper(options: KeeperOptions): IndexKeeper {
  const { root, folder, hidden, restMs, settlingMs, listWithEngine } = options
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const tree = createWatchedTree({ root, pulseFolder: join(folder, 'pulse'), hidden, listWithEngine })
  const { table, foreign } = tree
  const segments = new Map<number, Segment>()
  /** The names of the last run, until the table holds them. */
  let savedNames: string | null = null
  /** False until there are the names of the last run, or those of the whole tree. */
  let hasNames = false
  /** The foreign folders of the last run. */
  let savedForeign: readonly VirtualPath[] = []
  let restUntil = 0
  let unsavedSince: number | null = null

  function segmentFile(id: number): string {
    return join(folder, segmentName(id))
  }

  /** Names can be asked for at once. The folders are taken apart and the sums of the signatures looked at behind. */
  async function restore(): Promise<void> {
    const saved = loadCatalogue(folder, root.folder)
    savedNames = saved?.list ?? null
    hasNames = saved !== null
    savedForeign = saved?.foreign ?? []
    await setImmediate()
    const breathe = createBreath()
    for (const each of saved?.folders() ?? []) {
      table.restore(each)
      const turn = breathe()
      if (turn) await turn
    }
    savedNames = null
    for (const facts of saved?.segments ?? []) {
      const file = segmentFile(facts.id)
      if (isWhole(file, facts)) segments.set(facts.id, openSegment(file, facts))
      await setImmediate()
    }
    removeOthers(folder, saved === null ? [] : ['catalogue', ...[...segments.keys()].map(segmentName)])
    for (const each of table.all())
      if (!segments.has(each.segment)) Object.assign(each, { segment: 0, unsigned: [], digest: '' })
  }

  /** Reads the changed folders, and writes one segment of them. */
  async function index(changed: readonly IndexedFolder[]): Promise<void> {
    const started = performance.now()
    const id = Math.max(0, ...segments.keys()) + 1
    const writer = createSegmentWriter(id, segmentFile(id))
    const read: { readonly each: IndexedFolder; readonly version: number; readonly found: Partial<IndexedFolder> }[] =
      []
    const breathe = createBreath()
    for (const each of changed) {
      if (tree.refused() !== null) break
      const version = each.version
      const found = await readInto(writer, each, breathe)
      if (found) read.push({ each, version, found })
    }
    const facts = writer.finish()
    segments.set(id, openSegment(segmentFile(id), facts))
    const isCaughtUp = await tree.catchUp()
    for (const { each, version, found } of read) {
      const isSame = isCaughtUp && each.version === version && table.get(each.path) === each
      if (isSame) Object.assign(each, found, { segment: id, clean: true, listed: true })
    }
    dropUnused()
    restUntil = performance.now() + Math.min(longestRestMs, restFactor * (performance.now() - started))
    unsavedSince ??= performance.now()
  }

  async function readInto(
    writer: ReturnType<typeof createSegmentWriter>,
    each: IndexedFolder,
    breathe: () => Promise<void> | undefined,
  ): Promise<Partial<IndexedFolder> | null> {
    const files = tree.list(each)?.files
    if (!files) return null
    const unsigned: number[] = []
    const stamps: (string | null)[] = []
    for (const [place, name] of files.entries()) {
      const { stamp, signature } = readSignature(join(root.folder, each.path, name), settlingMs)
      stamps.push(stamp)
      if (signature) writer.add([each.id, place], signature)
      else unsigned.push(place)
      const turn = breathe()
      if (turn) await turn
    }
    return { names: joinNames(files), digest: digestOf(files, stamps), unsigned }
  }

  function dropUnused(): void {
    const used = new Set([...table.all()].map((each) => each.segment))
    for (const [id, segment] of segments) {
      if (used.has(id)) continue
      segment[Symbol.dispose]()
      segments.delete(id)
      rmSync(segmentFile(id), { force: true })
    }
  }

  /** Folders to read: the changed ones, those of small segments when there are many, all when most signatures are old. */
  function foldersToRead(): readonly IndexedFolder[] {
    const all = [...table.all()]
    const changed = all.filter((each) => !each.clean)
    const kept = [...segments.values()].map(({ facts }) => ({ id: facts.id, documents: documentsIn(facts) }))
    if (changed.length === 0) return changed
    const documents = kept.reduce((sum, each) => sum + each.documents, 0)
    if (documents > 2 * countFiles(all) + 1_000) return all
    if (kept.length < mostSegments) return changed
    const largest = kept.reduce((one, other) => (other.documents > one.documents ? other : one))
    return all.filter((each) => !each.clean || each.segment !== largest.id)
  }

  function save(): void {
    unsavedSince = null
    const facts = [...segments.values()].map((segment) => segment.facts)
    saveCatalogue(folder, root.folder, { foreign: [...foreign], segments: facts, folders: [...table.all()] })
  }

  /** True while changes follow each other, but not for ever. */
  function isResting(): boolean {
    const { last, first } = tree.sinceEvents()
    return performance.now() < restUntil || (last < restMs && first < mostRests * restMs)
  }

  async function work(): Promise<void> {
    await restore()
    const breathe = createBreath()
    while (tree.refused() === null) {
      tree.takeEvents()
      if (tree.walkOn()) await breathe()
      else if (isResting()) await setTimeout(pollMs)
      else if (tree.isProved()) await workAtRest()
      else {
        await tree.prove()
        if (!tree.isProved()) await setTimeout(restMs)
      }
    }
    removeOthers(folder, [])
  }

  async function workAtRest(): Promise<void> {
    tree.takeRest()
    const changed = foldersToRead()
    if (changed.length > 0) await index(changed)
    else if (unsavedSince !== null && performance.now() - unsavedSince > saveAfterRests * restMs) save()
    else await setTimeout(pollMs)
  }

  async function candidates(requirement: Requirement, path: VirtualPath): Promise<Candidates | typeof tooMany | null> {
    if (tree.refused() !== null || !(await tree.catchUp())) return null
    // From here on nothing waits, so that everything is about one moment.
    if (tree.refused() !== null || !tree.isProved() || !table.get(path) || holdsMounts(root.folder)) return null
    const within = [...table.all()].filter((each) => isWithin(each.path, path))
    const changed = within.filter((each) => !each.clean)
    const files = within.flatMap((each) => (each.clean ? pathsOf(each, each.unsigned) : []))
    const most = Math.min(mostCandidates, Math.max(100, countFiles(within) * mostShare))
    const beyond = changed.length === 0 ? tooMany : null
    let count = files.length + countFiles(changed)
    const found = new Map<IndexedFolder, number[]>()
    for (const [id, segment] of segments) {
      for (const [number, place] of segment.candidates(requirement)) {
        const each = table.byId(number)
        if (!each?.clean || each.segment !== id || !isWithin(each.path, path)) continue
        const places = found.get(each) ?? []
        found.set(each, places)
        places.push(place)
        count += 1
        if (count > most) return beyond
      }
    }
    if (count > most) return beyond
    for (const [each, places] of found) files.push(...pathsOf(each, places))
    return {
      files,
      folders: changed.map((each) => each.path),
      whole: [...foreign].filter((each) => isWithin(each, path)),
    }
  }

  /** Until the tree is known, the names are those of the last run. Nobody keeps those of a refused tree up to date. */
  async function find(text: string, limit: number): Promise<FoundNames | null> {
    if (tree.isProved() && (await tree.catchUp())) tree.listChanged()
    hasNames ||= tree.isProved()
    if (!hasNames || tree.refused() !== null) return null
    const folders = savedNames === null ? table.all() : foldersWith(savedNames, text)
    return {
      paths: findNames(folders, text, limit),
      foreign: [...(tree.isProved() ? foreign : new Set([...savedForeign, ...foreign]))],
    }
  }

  function state(): IndexState {
    const all = [...table.all()]
    const ready = tree.isProved() && all.every((each) => each.clean)
    const length = [...segments.values()].reduce((sum, { facts }) => sum + facts.length, 0)
    return { ready, refused: tree.refused(), files: countFiles(all), length }
  }

  work().catch((error: unknown) => tree.refuse(String(error)))
  return {
    async answer(question) {
      if (question.kind === 'candidates') return candidates(question.requirement, question.path)
      return question.kind === 'find' ? find(question.text, question.limit) : state()
    },
  }
}

function segmentName(id: number): string {
  return `segment-${id}`
}

/** Removes what an earlier process left unfinished, and what is not needed. */
function removeOthers(folder: string, kept: readonly string[]): void {
  for (const name of readdirSync(folder))
    if (name !== 'pulse' && !kept.includes(name)) rmSync(join(folder, name), { recursive: true, force: true })
}

/** How many names a folder has, as long as they stay the same. */
const counted = new WeakMap<IndexedFolder, { readonly names: string; readonly count: number }>()

function countFiles(folders: readonly IndexedFolder[]): number {
  return folders.reduce((sum, each) => {
    const known = counted.get(each)
    if (known?.names === each.names) return sum + known.count
    const count = namesOf(each).length
    counted.set(each, { names: each.names, count })
    return sum + count
  }, 0)
}

function pathsOf(each: IndexedFolder, places: readonly number[]): readonly VirtualPath[] {
  const names = namesOf(each)
  return places.map((place) => joinPath(each.path, names[place] ?? ''))
}

function documentsIn({ blocks }: Segment['facts']): number {
  return blocks.reduce((sum, { documents }) => sum + documents, 0)
}

/** Lets events and questions have their turn after each slice of work. */
function createBreath(): () => Promise<void> | undefined {
  let end = performance.now() + sliceMs
  return () => {
    if (performance.now() < end) return undefined
    return setImmediate().then(() => {
      end = performance.now() + sliceMs
    })
  }
}

/**
 * True when another file system is mounted inside the folder. Mounting is no event of any folder, and the other system may
 * change without one.
 */
function holdsMounts(folder: string): boolean {
  return mountsBelow(folder).some((place) => place !== folder)
}
