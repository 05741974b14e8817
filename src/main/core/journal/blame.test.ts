import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  composedFiles,
  composeTree,
  diffTrees,
  type FileChoice,
  type HunkPick,
  hunksOf,
  type Patch,
  type Tree,
} from '#overlay'
import { at, bytes, openBranches, runs, type TestBranch, testTextMerge } from '#overlay/testkit'
import type { Entry, EntryBody } from '#shared/model/entry.ts'
import type { BranchId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { blame } from './blame.ts'

const start = 'a\nb\nc\nd\ne\n'
const first = at('/f.txt')

/** Branches with their journal, in which each line that is written is unlike every other. */
function openHistory() {
  const world = openBranches({ '/f.txt': start })
  const entries: Entry[] = []
  const born = new Map<string, { sequence: number; branchId: string }>()
  const add = (branch: string, body: object): number => {
    const sequence = entries.length
    entries.push({ ...body, sequence, threadId: branch as ThreadId, at: 0 } as unknown as Entry)
    return sequence
  }
  add('main', { type: 'branch.forked', branchId: 'main', parentId: null })
  const branches = new Map<string, TestBranch>([['main', { id: 'main', parentId: null }]])
  const pasts = new Map<string, Tree[]>()
  const textOf = async (branch: string, path: VirtualPath) => (await world.files(branch))[path]
  const changed = (branch: string, patch: Patch): EntryBody =>
    ({
      type: 'tree.changed',
      branchId: branch as BranchId,
      patch,
      callId: `call ${entries.length}` as ToolCallId,
    }) as const
  return {
    ...{ world, entries, born, branches, textOf },
    fork(id: string, parentId: string): void {
      branches.set(id, world.fork(id, parentId))
      add(id, { type: 'branch.forked', branchId: id, parentId })
    },
    /** Writes the file with what `work` makes of its lines. New ones are named by the entry. */
    async edit(branch: string, path: VirtualPath, work: (lines: string[], name: string) => void): Promise<void> {
      const before = world.head(branch)
      const lines = ((await textOf(branch, path)) ?? '').split('\n').slice(0, -1)
      const sequence = entries.length
      const old = new Set(lines)
      work(lines, `line ${sequence}`)
      for (const line of lines) if (!old.has(line)) born.set(line, { sequence, branchId: branch })
      await world.edit(branch, (draft) => draft.write(path, bytes(lines.map((line) => `${line}\n`).join(''))))
      add(branch, changed(branch, diffTrees(before, world.head(branch))))
      pasts.set(branch, [...(pasts.get(branch) ?? []), before])
    },
    async move(branch: string, from: VirtualPath, to: VirtualPath): Promise<void> {
      const before = world.head(branch)
      await world.edit(branch, (draft) => draft.move(from, to))
      add(branch, changed(branch, diffTrees(before, world.head(branch))))
    },
    async merge(branch: string, force = false): Promise<void> {
      const known = branches.get(branch)
      if (!known?.parentId) return
      const { patch, bases } = await world.merge(known, { force, strategy: 'three_way' })
      if (patch.length > 0)
        add(branch, { type: 'branch.merged', branchId: branch, into: known.parentId, patch, bases, forced: force })
    },
    /** Composes children of `main` in it, with the pick for each hunk. */
    async compose(children: readonly string[], pick: (hunk: number) => HunkPick): Promise<void> {
      const sources = children.map((name) => world.head(name))
      const trees = { ...world.sources, sources, fork: world.forkPoint(children[0] ?? '') }
      const files = await composedFiles({ ...trees, textMerge: testTextMerge, pace: () => undefined })
      const choices = files.map((file) => {
        const picks = hunksOf(file.segments).map((_, hunk) => pick(hunk))
        const choice: FileChoice = { kind: 'hunks', picks }
        return { file, choice }
      })
      const before = world.head('main')
      const made = await composeTree({ ...trees, onto: before, choices })
      if (!made.ok) throw new Error(JSON.stringify(made.error))
      const patch = diffTrees(before, made.value.tree)
      world.change('main', patch)
      const known = children.map((branchId) => ({ branchId, sequence: entries.length - 1 }))
      const composed = { sources: known, others: [], files: made.value.origins }
      add('main', { type: 'branch.merged', branchId: children[0], into: 'main', patch, bases: [], composed })
    },
    rewind(branch: string, steps: number): void {
      const before = world.head(branch)
      const past = pasts.get(branch)?.at(-1 - steps)
      if (!past) return
      const patch = diffTrees(before, past)
      world.change(branch, patch)
      add(branch, { type: 'rewound', to: 0, files: [{ branchId: branch, patch }], conversation: false, undoes: null })
    },
    async blamed(branch: string, path: VirtualPath) {
      const text = await textOf(branch, path)
      if (text === undefined) return undefined
      const sources = { entries, blobs: world.sources.blobs, textMerge: testTextMerge }
      return blame(sources, branch as BranchId, path, text)
    },
    async expectTrue(branch: string, path: VirtualPath): Promise<void> {
      const lines = await this.blamed(branch, path)
      for (const { text, origin } of lines ?? []) {
        const expected = born.get(text.trimEnd())
        const seen = origin && { sequence: origin.sequence, branchId: origin.branchId }
        expect({ text, ...seen }).toEqual({ text, ...expected })
      }
      expect(lines?.map(({ text }) => text).join('')).toBe(await textOf(branch, path))
    },
  }
}

const act = fc.record({
  kind: fc.constantFrom('edit', 'edit', 'edit', 'edit', 'fork', 'merge', 'merge', 'move', 'rewind', 'force'),
  which: fc.nat({ max: 20 }),
  place: fc.nat({ max: 12 }),
  count: fc.nat({ max: 2 }),
})

/** Mutations: do not ask the branch that was merged; forget renames; give all lines of a rewind to the rewind. */
it('blames the entry that wrote a line first, over forks, merges, renames and rewinds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 25, size: 'max' }), async (acts) => {
      const history = openHistory()
      for (const { kind, which, place, count } of acts) {
        const names = [...history.branches.keys()]
        const branch = names[which % names.length] ?? 'main'
        const paths = Object.keys(await history.world.files(branch)).filter((path) => !path.endsWith('/'))
        const path = at(paths[place % Math.max(1, paths.length)] ?? first)
        if (kind === 'fork') history.fork(`b${names.length}`, branch)
        else if (kind === 'merge' || kind === 'force') await history.merge(branch, kind === 'force')
        else if (kind === 'rewind') history.rewind(branch, count)
        else if (kind === 'move' && paths.length > 0)
          await history.move(branch, path, at(`/g${history.entries.length}.txt`))
        else
          await history.edit(branch, path, (lines, name) => {
            const added = Array.from({ length: count + 1 }, (_, index) => `${name}.${index}`)
            lines.splice(place, count, ...added)
          })
      }
      for (const branch of history.branches.keys())
        for (const path of Object.keys(await history.world.files(branch)))
          if (!path.endsWith('/')) await history.expectTrue(branch, at(path))
    }),
    runs(2_000),
  )
}, 120_000)

it('gives lines that the person wrote in the folder to the folder', async () => {
  const history = openHistory()
  await history.edit('main', first, (lines, name) => lines.push(name))
  const sources = { entries: history.entries, blobs: history.world.sources.blobs, textMerge: testTextMerge }
  const now = await blame(sources, 'main' as BranchId, first, `by hand\n${start}line 1\n`)
  expect(now.map(({ origin }) => origin?.sequence ?? null)).toEqual([null, null, null, null, null, null, 1])
})

it('blames nothing for a file that no entry changed', async () => {
  const history = openHistory()
  history.fork('b1', 'main')
  expect((await history.blamed('b1', first))?.every(({ origin }) => origin === null)).toBe(true)
})

/** Mutations: take the line of whichever branch has one; give what a person wrote to a branch that wrote the same. */
it('gives a composed line to the branch that it was chosen from, and what was written by hand to the composition', async () => {
  const history = openHistory()
  for (const name of ['b1', 'b2']) history.fork(name, 'main')
  // Both write the same closing line, so that its text says nothing.
  await history.edit('b1', first, (lines) => lines.splice(2, 1, 'one', '}'))
  await history.edit('b2', first, (lines) => lines.splice(2, 1, 'two', '}'))
  await history.compose(['b1', 'b2'], () => ({ from: [1] }))
  const lines = await history.blamed('main', first)
  expect(lines?.map(({ text, origin }) => `${text.trim()} ${origin?.branchId ?? '-'}`)).toEqual([
    ...['a -', 'b -', 'two b2', '} b2', 'd -', 'e -'],
  ])
  const other = openHistory()
  for (const name of ['b1', 'b2']) other.fork(name, 'main')
  await other.edit('b1', first, (all) => all.splice(2, 1, 'one', '}'))
  await other.edit('b2', first, (all) => all.splice(2, 1, 'two', '}'))
  await other.compose(['b1', 'b2'], () => ({ text: 'two\n}\n' }))
  const last = other.entries.length - 1
  expect((await other.blamed('main', first))?.map(({ origin }) => origin?.sequence ?? null)).toEqual([
    ...[null, null, last, last, null, null],
  ])
})
