import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Evicted } from '#core/ports/branch-mounts.ts'
import { joinPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { lookAsOwner } from '../../system/as-owner.ts'
import { makeTemporary, removeMade } from '../../system/made-folders.ts'
import type { Layer } from '../layers/layer-store.ts'
import type { ShownLayer } from '../layers/shown-in-layers.ts'
import type { MountBase } from '../mount-base.ts'
import { askGit } from './layer-git.ts'
import {
  headCommit,
  ownValue,
  packedWithout,
  type RepositoryFiles,
  type RepositoryRecord,
  readRepository,
  shownValue,
} from './repository-refs.ts'
import { ownTips, saveObjects } from './save-objects.ts'

/** What a layer on top of all others must have for the repository of a view to be both the person's and the branch's. */
export interface RepositoryJoin {
  readonly writes: ReadonlyMap<VirtualPath, Uint8Array>
  /**
   * Times of some of them, in milliseconds since the Unix epoch. Git reads a file again that is as new as its index: an index
   * that looks newer would hide what a person changed in the same second.
   */
  readonly times: ReadonlyMap<VirtualPath, number>
  /** Paths that are not to be there. */
  readonly hides: readonly VirtualPath[]
  /** Files of layers that are kept in the home of commands. */
  readonly losers: readonly VirtualPath[]
  readonly evicted: readonly Evicted[]
  /** Why something had to give way. */
  readonly why: Evicted['why']
  readonly record: RepositoryRecord
}

export interface RepositoryInput {
  readonly unit: VirtualPath
  readonly base: MountBase
  readonly rootFolder: string | null
  /** The oldest first. */
  readonly layers: readonly Layer[]
  /** Which time it is that something of this environment has to give way: part of the names of what is kept. */
  readonly number: number
  /** Layers below these that are part of `base`. Absent for none: what lies below is the person's. */
  readonly lower?: readonly Layer[]
  /** What lay below these when they were made. Absent for what they remember of the person. */
  readonly before?: (name: string) => string | null
}

/** Files that tell what git is in the middle of. They belong to `HEAD` and to the index. */
const stateFiles = [
  ...['MERGE_HEAD', 'MERGE_MSG', 'MERGE_MODE', 'MERGE_RR', 'AUTO_MERGE', 'SQUASH_MSG', 'CHERRY_PICK_HEAD'],
  ...['REVERT_HEAD', 'REBASE_HEAD', 'rebase-merge', 'rebase-apply', 'sequencer', 'BISECT_LOG', 'BISECT_START'],
]
const stash = 'refs/stash'

/**
 * Joins a repository by reference. What only one side changed is as that side has it. Where both changed one, the one that
 * holds the other's commits is shown; without such a one that of the person is, and the other gets a name below
 * `refs/kept`. Both lists of stashes become one. The index goes with the commit that `HEAD` leads to. Objects have no names
 * that could collide, and of all other files, such as settings, that of the layers stays.
 */
export async function joinRepository(input: RepositoryInput): Promise<RepositoryJoin> {
  const { unit, base, layers, number, lower = [] } = input
  const why = lower.length > 0 ? 'commands' : 'disk'
  const files = readRepository(unit, base, layers)
  const names = files.ownPacked
    ? new Set([...files.touched, ...files.person.keys(), ...files.ownPacked.keys()])
    : files.touched
  const writes = new Map<VirtualPath, Uint8Array>()
  const times = new Map<VirtualPath, number>()
  const evicted: Evicted[] = []
  const write = (name: string, content: string | Uint8Array) =>
    writes.set(joinPath(unit, name), typeof content === 'string' ? Buffer.from(content) : content)
  const keepRef = (name: string, value: string): string => {
    const kept = `refs/kept/${number}/${name.replace(/^refs\//, '')}`
    write(kept, `${value}\n`)
    const log = files.own(`logs/${name}`)
    if (log) write(`logs/${kept}`, log)
    return kept
  }

  const joined = new Map<string, string | null>()
  for (const name of names) {
    const [own, person] = [ownValue(files, name), files.person.get(name) ?? null]
    const before = input.before ? input.before(name) : personBefore(layers, unit, name)
    const winner = own === undefined ? 'person' : await chooseSide(input, { own, person, before })
    joined.set(name, winner === 'own' ? (own ?? null) : person)
    // A list of stashes is more than its reference: the newest one of the person is not all that the layers have.
    if (name === stash && winner !== 'own' && person !== before && files.own(`logs/${stash}`) !== undefined)
      write(`logs/${stash}`, joinLogs(files, stash, 'person'))
    if (winner !== 'collision' || own === undefined || (name === stash && own !== null)) continue
    evicted.push({ ...evictedRef(unit, name, own, keepRef), why })
  }
  for (const name of clashing(joined, files)) {
    const own = joined.get(name)
    if (own) evicted.push({ ...evictedRef(unit, name, own, keepRef), why })
    joined.delete(name)
    for (const [other, value] of files.person)
      if (isWithinName(other, name) || isWithinName(name, other)) joined.set(other, value)
  }

  const lost = branchOfHead(input, files, joined)
  if (lost) {
    joined.set(lost.name, lost.value)
    evicted.push({ ...evictedRef(unit, lost.name, null, keepRef), why })
  }

  const hides: VirtualPath[] = []
  const unpacked = new Set<string>()
  for (const [name, value] of joined) {
    if (shownValue(files, name) === value) continue
    if (value !== null) {
      write(name, `${value}\n`)
      const log = files.own(`logs/${name}`) && files.below(`logs/${name}`)
      if (log && name !== 'HEAD' && name !== stash) write(`logs/${name}`, log)
    } else {
      hides.push(joinPath(unit, name))
      unpacked.add(name)
    }
  }
  const packed = files.own('packed-refs') ?? files.below('packed-refs')
  if (packed && unpacked.size > 0) write('packed-refs', packedWithout(packed, unpacked))

  const head = headCommit((name) => (joined.has(name) ? joined.get(name) : shownValue(files, name)))
  const personHead = headCommit((name) => files.person.get(name))
  const last = recordOf(layers, unit)
  const ownLog = files.own('logs/HEAD')
  if (ownLog && files.below('logs/HEAD')) {
    const log = Buffer.from(joinLogs(files, 'HEAD', head === personHead ? 'person' : 'own'))
    if (!log.equals(ownLog)) write('logs/HEAD', log)
  }
  const losers: VirtualPath[] = []
  if (last && head !== last.head && head === personHead) {
    const states = stateFiles.filter((name) => layers.some(({ files: place }) => isIn(place, joinPath(unit, name))))
    const index = files.own('index')
    const isStaged = index && last.head !== null && (await hasStaged(input, index, last.head))
    if (isStaged) losers.push(joinPath(unit, 'index'))
    for (const name of states) losers.push(joinPath(unit, name))
    const shown = files.below('index')
    const below = base.at(joinPath(unit, 'index'))
    if (below?.kind === 'file' && below.time !== undefined) times.set(joinPath(unit, 'index'), below.time)
    if (index && shown) write('index', shown)
    for (const name of states) {
      const below = files.below(name)
      if (below) write(name, below)
      else hides.push(joinPath(unit, name))
    }
  } else if (head !== personHead)
    for (const name of stateFiles)
      if (files.own(name) === undefined && base.at(joinPath(unit, name))) hides.push(joinPath(unit, name))

  const saved = await saveObjects(input, ownTips(files, joined, writes), [...files.person.values()])
  for (const [name, bytes] of saved.packs) write(`objects/pack/${name}`, bytes)
  evicted.push(...saved.lost.map((name) => ({ path: joinPath(unit, name), why: 'pruned', keptAs: null }) as const))

  return {
    ...{ writes, times, hides, losers, why },
    evicted: evicted.sort((a, b) => (a.path < b.path ? -1 : 1)),
    record: {
      unit,
      head,
      person: [...new Set(['HEAD', ...names])].map((name) => [name, files.person.get(name) ?? null]),
    },
  }
}

/** What a layer must remember of a repository. `isKnown` is false when the person changed it while the programs ran. */
export function recordRepository(
  unit: VirtualPath,
  base: MountBase,
  layers: readonly ShownLayer[],
  isKnown: boolean,
): RepositoryRecord {
  const files = readRepository(unit, base, layers)
  const names = files.ownPacked ? new Set([...files.touched, ...files.person.keys()]) : files.touched
  const person = [...new Set(['HEAD', ...names])].map((name) => [name, files.person.get(name) ?? null] as const)
  return { unit, head: headCommit((name) => shownValue(files, name)), person: isKnown ? person : [] }
}

type Side = 'own' | 'person' | 'collision'

async function chooseSide(
  input: RepositoryInput,
  {
    own,
    person,
    before,
  }: { readonly own: string | null; readonly person: string | null; readonly before: string | null | undefined },
): Promise<Side> {
  if (own === person || own === before) return 'person'
  // What is gone on one side and changed on the other is not gone.
  if (person === before || person === null) return 'own'
  if (own === null) return 'collision'
  if (await holds(input, own, person)) return 'own'
  return (await holds(input, person, own)) ? 'person' : 'collision'
}

function evictedRef(
  unit: VirtualPath,
  name: string,
  own: string | null,
  keep: (name: string, value: string) => string,
): Omit<Evicted, 'why'> {
  const isName = own?.startsWith('ref: ') === true
  const keptAs = own === null ? null : isName ? own.slice(5) : keep(name, own)
  return { path: joinPath(unit, name), keptAs }
}

function recordOf(layers: readonly Layer[], unit: VirtualPath): RepositoryRecord | undefined {
  return layers
    .toReversed()
    .flatMap(({ repositories = [] }) => repositories)
    .find((one) => one.unit === unit)
}

/** What the person had when the newest layer was made that knows it. Undefined when it is not known. */
function personBefore(layers: readonly Layer[], unit: VirtualPath, name: string): string | null | undefined {
  const records = layers
    .toReversed()
    .flatMap(({ repositories = [] }) => repositories.filter((one) => one.unit === unit))
  const known = records.flatMap(({ person }) => person.find(([one]) => one === name) ?? [])[1]
  if (known !== undefined) return known
  // The newest one names all that layers touch, so what it lacks was not there.
  return (records[0]?.person.length ?? 0) > 0 ? null : undefined
}

/**
 * The branch that `HEAD` names and that would be gone, because one side removed it and the other one moved to it. Git removes no
 * branch either that somebody is on. Undefined for none, and where whoever is on it removed it or never had a commit there.
 */
function branchOfHead(
  { unit, layers, before }: RepositoryInput,
  files: RepositoryFiles,
  joined: ReadonlyMap<string, string | null>,
): { readonly name: string; readonly value: string } | undefined {
  const read = (name: string) => joined.get(name) ?? (joined.has(name) ? null : shownValue(files, name))
  const head = read('HEAD')
  const name = head?.startsWith('ref: ') ? head.slice(5) : undefined
  if (name === undefined || read(name) !== null) return undefined
  const personWas = before ? before('HEAD') : personBefore(layers, unit, 'HEAD')
  const ofPerson = personWas === head ? undefined : files.person.get(name)
  const value = files.person.get('HEAD') === head ? ofPerson : recordOf(layers, unit)?.head
  return value ? { name, value } : undefined
}

/** References of layers that cannot be beside those of the person, as git keeps them as files: one is a folder of the other. */
function clashing(joined: ReadonlyMap<string, string | null>, { person, touched }: RepositoryFiles): readonly string[] {
  return [...joined].flatMap(([name, value]) => {
    if (value === null || value === person.get(name) || !touched.has(name)) return []
    const others = [...person.keys()].filter((other) => joined.get(other) !== null)
    return others.some((other) => isWithinName(other, name) || isWithinName(name, other)) ? [name] : []
  })
}

function isWithinName(name: string, folder: string): boolean {
  return name.startsWith(`${folder}/`)
}

/** Both logs of a reference, the lines of the side that is shown last. */
function joinLogs(files: RepositoryFiles, name: string, last: 'own' | 'person'): string {
  const linesOf = (bytes: Uint8Array | null | undefined) =>
    bytes ? Buffer.from(bytes).toString().split('\n').filter(Boolean) : []
  const [own, person] = [linesOf(files.own(`logs/${name}`)), linesOf(files.below(`logs/${name}`))]
  const [ofOwn, ofPerson] = [new Set(own.map(withoutStart)), new Set(person.map(withoutStart))]
  const common = own.filter((line) => ofPerson.has(withoutStart(line)))
  const apart = [
    own.filter((line) => !ofPerson.has(withoutStart(line))),
    person.filter((line) => !ofOwn.has(withoutStart(line))),
  ]
  const lines = [...common, ...(last === 'person' ? apart : apart.toReversed()).flat()]
  // Git takes the start of each line from the one before it.
  const idAt = (line: string | undefined, part: number) => line?.split(' ')[part]
  return lines.map((line, at) => `${idAt(lines[at - 1], 1) ?? idAt(line, 0)} ${withoutStart(line)}\n`).join('')
}

/** A line of a log without the object that the reference led to before. */
function withoutStart(line: string): string {
  return line.slice(line.indexOf(' ') + 1)
}

function isIn(files: string, path: VirtualPath): boolean {
  return lookAsOwner(join(files, path)) !== undefined
}

/** True when a commit holds all that another one holds. */
async function holds(input: RepositoryInput, commit: string, other: string): Promise<boolean> {
  if (commit.startsWith('ref:') || other.startsWith('ref:')) return false
  return askGit(input, ['merge-base', '--is-ancestor', other, commit])
}

/** True when the index has something else than the commit, or nobody can tell. */
async function hasStaged(input: RepositoryInput, index: Uint8Array, commit: string): Promise<boolean> {
  const place = makeTemporary('index')
  try {
    writeFileSync(join(place, 'index'), index, { mode: 0o600 })
    return !(await askGit(input, ['diff-index', '--cached', '--quiet', commit], {
      GIT_INDEX_FILE: join(place, 'index'),
    }))
  } finally {
    await removeMade(place)
  }
}
