import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BranchTrees, emptyBranchTrees, environmentOf, foldTrees } from '#core/branches/branch-trees.ts'
import type { BranchMounts, MountStrategy } from '#core/ports/branch-mounts.ts'
import { valuesOf } from '#shared/base/chain.ts'
import type { EntryBody } from '#shared/model/entry.ts'
import type { BranchId, LayerId, ThreadId } from '#shared/model/ids.ts'
import { createBranchMounts } from '../src/main/adapters/mounts/branch-mounts.ts'
import { runInside } from '../src/main/adapters/mounts/namespace.ts'
import { runs, timeLimit } from '../src/main/core/ports/test-size.testkit.ts'

const never = new AbortController().signal
const thread = 'thread' as ThreadId

/** What a command sees of its environment: the content of each file by its path. */
type Contents = Readonly<Record<string, string>>

const name = fc.constantFrom('dist/a', 'dist/b', 'dist/deep/c', 'lib/dist/a', 'HOME/.cache/a', 'HOME/b')
const edit = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), name, text: fc.constantFrom('1', '2') }),
  fc.record({ kind: fc.constant('remove' as const), name: fc.oneof(name, fc.constantFrom('dist', 'dist/deep')) }),
  fc.record({ kind: fc.constant('remake' as const), name: fc.constantFrom('dist', 'dist/deep', 'lib/dist') }),
)
const edits = fc.array(edit, { maxLength: 3 })
const step = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant('command' as const),
      branch: fc.nat(5),
      edits,
    }),
    weight: 6,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('cut' as const),
      branch: fc.nat(5),
      edits,
    }),
    weight: 1,
  },
  { arbitrary: fc.record({ kind: fc.constant('fork' as const), branch: fc.nat(5) }), weight: 3 },
  { arbitrary: fc.record({ kind: fc.constant('rewind' as const), to: fc.nat(20) }), weight: 2 },
  { arbitrary: fc.record({ kind: fc.constant('merge' as const), branch: fc.nat(5) }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('restart' as const) }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('kill' as const), branch: fc.nat(5), edits }), weight: 1 },
  { arbitrary: fc.record({ kind: fc.constant('clean' as const) }), weight: 3 },
)
type Edit = typeof edit extends fc.Arbitrary<infer One> ? One : never

function scriptOf(edits: readonly Edit[], home: string): string {
  const lines = edits.map((one) => {
    const path = one.name.replace('HOME', home)
    if (one.kind === 'write') return `mkdir -p ${path.replace(/\/[^/]*$/, '')}; echo ${one.text} > ${path}`
    return one.kind === 'remove' ? `rm -rf ${path}` : `rm -rf ${path}; mkdir -p ${path}`
  })
  const list = `for f in $(find dist lib/dist ${home} -type f 2>/dev/null | LC_ALL=C sort); do echo "$f $(cat $f)"; done`
  return [...lines, list].join('\n').replaceAll('\n', '; ').replaceAll(';;', ';')
}

function after(contents: Contents, edits: readonly Edit[]): Contents {
  const files = new Map(Object.entries(contents))
  for (const one of edits) {
    if (one.kind === 'write') files.set(one.name, one.text)
    else for (const path of [...files.keys()]) if (`${path}/`.startsWith(`${one.name}/`)) files.delete(path)
  }
  return Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The journal's fold and real mounts, in which every third layer becomes one with those below it, beside a model that copies everything. */
class World {
  readonly #root: string
  readonly #data: string
  readonly #strategy: MountStrategy
  #mounts: BranchMounts
  #trees: BranchTrees = emptyBranchTrees
  #sequence = 0
  /** What each branch must show, after each entry. */
  readonly #past: ReadonlyMap<BranchId, Contents>[] = [new Map()]

  constructor(strategy: MountStrategy) {
    const above = mkdtempSync(join(tmpdir(), 'coppice-environments-'))
    this.#root = join(above, 'root')
    this.#data = join(above, 'data')
    this.#strategy = strategy
    mkdirSync(join(this.#root, 'dist'), { recursive: true })
    mkdirSync(join(this.#root, 'lib'))
    writeFileSync(join(this.#root, '.gitignore'), 'dist/\n')
    writeFileSync(join(this.#root, 'dist/base'), 'project\n')
    this.#mounts = this.#open()
    this.#commit(
      {
        type: 'branch.forked',
        branchId: 'b0' as BranchId,
        parentId: null,
        ownerThreadId: thread,
        handle: null,
        name: 'b0',
      },
      (now) => new Map(now).set('b0' as BranchId, { 'dist/base': 'project' }),
    )
  }

  #open(): BranchMounts {
    return createBranchMounts({
      rootFolder: this.#root,
      mountsFolder: join(this.#data, 'views'),
      probe: async () => this.#strategy,
      mostInStack: 2,
    })
  }

  #commit(entry: EntryBody, next: (now: ReadonlyMap<BranchId, Contents>) => ReadonlyMap<BranchId, Contents>): void {
    this.#sequence += 1
    this.#trees = foldTrees(this.#trees, { ...entry, sequence: this.#sequence, at: 0, threadId: thread })
    this.#past.push(next(this.#past.at(-1) ?? new Map()))
  }

  #branch(number: number): BranchId {
    const branches = [...(this.#past.at(-1)?.keys() ?? [])]
    return branches[number % branches.length] ?? ('b0' as BranchId)
  }

  async command(number: number, edits: readonly Edit[], keeps: boolean): Promise<void> {
    const branchId = this.#branch(number)
    const environment = environmentOf(this.#trees, branchId)
    await using mount = await this.#mounts.open({ owner: branchId, overlay: [], environment }, never)
    const [before] = [this.#past.at(-1)?.get(branchId) ?? {}]
    const wanted = after(before, edits)
    const program = mount.enter(['bash', '-c', `cd "$0"; ${scriptOf(edits, mount.home)}`, mount.folder])
    const shown = (await runInside(program)).toString()
    const seen = shown
      .split('\n')
      .filter(Boolean)
      .map((line) => line.replace(mount.home, 'HOME').split(' '))
    expect(Object.fromEntries(seen.map(([path, text]) => [path, text]).sort())).toEqual(wanted)
    const { environment: layers } = await mount.capture(keeps)
    if (!keeps) return expect(layers).toEqual(environment)
    this.#commit({ type: 'environment.changed', branchId, layers, callId: null }, (now) =>
      new Map(now).set(branchId, wanted),
    )
  }

  fork(number: number): void {
    const parentId = this.#branch(number)
    const branchId = `b${this.#sequence}` as BranchId
    this.#commit(
      { type: 'branch.forked', branchId, parentId, ownerThreadId: thread, handle: null, name: branchId },
      (now) => new Map(now).set(branchId, now.get(parentId) ?? {}),
    )
  }

  rewind(to: number): void {
    const past = this.#past[1 + (to % this.#sequence)] ?? new Map()
    const files = [...past.keys()].map((branchId) => ({ branchId, patch: [] }))
    this.#commit(
      { type: 'rewound', to: 1 + (to % this.#sequence), files, conversation: true, undoes: null },
      () => past,
    )
  }

  merge(number: number): void {
    const branchId = this.#branch(number)
    const into = this.#branch(number + 1)
    this.#commit(
      {
        type: 'branch.merged',
        branchId,
        into,
        patch: [],
        bases: [],
        result: { written: [], deleted: [], renamed: [], merged: [], conflicts: [], skipped: [] },
        forced: false,
        by: 'person',
      },
      (now) => now,
    )
  }

  /** The app ends in the middle of a command, without a chance to clean up. */
  async kill(number: number, edits: readonly Edit[]): Promise<void> {
    const branchId = this.#branch(number)
    const environment = environmentOf(this.#trees, branchId)
    const mount = await this.#mounts.open({ owner: branchId, overlay: [], environment }, never)
    await runInside(mount.enter(['bash', '-c', `cd "$0"; ${scriptOf(edits, mount.home)}`, mount.folder]))
    this.#mounts = this.#open()
  }

  async restart(): Promise<void> {
    await this.#mounts[Symbol.asyncDispose]()
    this.#mounts = this.#open()
  }

  async clean(): Promise<void> {
    const used = [...this.#trees.environments.values()].flatMap((versions) =>
      valuesOf(versions).flatMap(({ layers }) => layers),
    )
    await this.#mounts.keepLayers(new Set<LayerId>(used))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#mounts[Symbol.asyncDispose]()
  }
}

const probing = createBranchMounts({ rootFolder: null, mountsFolder: mkdtempSync(join(tmpdir(), 'coppice-probe-')) })
const here = await probing.findStrategy()
await probing[Symbol.asyncDispose]()
const copy: MountStrategy = { kind: 'copy', reason: 'asked for' }

describe.each(here.kind === 'overlay' ? [here, copy] : [copy])('environments ($kind)', (strategy) => {
  it('show what a model shows that copies everything, over forks, merges, rewinds, cuts, kills and restarts', {
    timeout: timeLimit(120_000),
  }, async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      await using world = new World(strategy)
      for (const one of steps) {
        if (one.kind === 'command' || one.kind === 'cut')
          await world.command(one.branch, one.edits, one.kind === 'command')
        else if (one.kind === 'fork') world.fork(one.branch)
        else if (one.kind === 'rewind') world.rewind(one.to)
        else if (one.kind === 'merge') world.merge(one.branch)
        else if (one.kind === 'kill') await world.kill(one.branch, one.edits)
        else await world[one.kind]()
      }
      for (let branch = 0; branch < 3; branch += 1) await world.command(branch, [], true)
    })
    await fc.assert(property, runs(6, 10_000))
  })
})
