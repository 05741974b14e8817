import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats, runs } from '../../ports/test-size.testkit.ts'
import type { OverlayTransaction } from '../../tree/overlay-transaction.ts'
import { diffTrees, type Tree } from '../../tree/tree.ts'
import { at, bytes, testTextMerge } from '../../tree/tree-fixtures.testkit.ts'
import { type Branches, openBranches } from '../merge-world.testkit.ts'
import { choiceOf, type FileChoice, proposeFile } from './choices.ts'
import { composeTree } from './compose-tree.ts'
import { type ComposedFile, composedFiles } from './composed-files.ts'
import { hunksOf } from './segments.ts'

const names = ['a', 'b', 'd/e', 'd', 'f/g/h']
const path = fc.constantFrom(...names).map((name) => at(`/${name}`))
const line = fc.constantFrom('1\n', '2\n', '3\n', '4\r\n', 'x\n')
const content = fc.oneof(
  { weight: 5, arbitrary: fc.array(line, { maxLength: 24, size: 'medium' }).map((all) => all.join('')) },
  { weight: 2, arbitrary: fc.array(line, { maxLength: 24, size: 'medium' }).map((all) => `${all.join('')}end`) },
  { weight: 1, arbitrary: fc.constant('a\0b') },
)
const base = fc
  .uniqueArray(fc.tuple(path, content), { maxLength: 4, selector: ([name]) => name })
  .map((files) => files.filter(([name]) => !files.some(([other]) => name.startsWith(`${other}/`))))
const edit = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('write' as const), path, content) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('delete' as const), path, fc.constant('')) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('move' as const), path, path) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('mode' as const), path, fc.constant('')) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('link' as const), path, fc.constant('a')) },
)
type Edit = typeof edit extends fc.Arbitrary<infer One> ? One : never
const edits = fc.array(edit, { maxLength: 6, size: 'medium' })

async function act(draft: OverlayTransaction, [kind, where, detail]: Edit): Promise<unknown> {
  switch (kind) {
    case 'write':
      return draft.write(where, bytes(detail))
    case 'delete':
      return draft.delete(where)
    case 'move':
      return draft.move(where, at(detail))
    case 'mode':
      return draft.setExecutable(where, true)
    case 'link':
      return draft.makeSymlink(where, detail)
  }
}

const branchNames = ['one', 'two', 'three']

async function worldOf(files: readonly (readonly [string, string])[], all: readonly (readonly Edit[])[]) {
  const world = openBranches(Object.fromEntries(files))
  for (const [index, name] of branchNames.entries()) {
    world.fork(name)
    await world.edit(name, async (draft) => {
      for (const one of all[index] ?? []) await act(draft, one).catch(ignoreRefused)
    })
  }
  return world
}

function ignoreRefused(error: unknown): void {
  if (!(error instanceof Error && ['FileTreeError', 'BaseTreeError'].includes(error.name))) throw error
}

function sourcesOf(world: Branches) {
  const sources = branchNames.map((name) => world.head(name))
  return { ...world.sources, textMerge: testTextMerge, pace: () => undefined, fork: world.forkPoint('one'), sources }
}

async function leaves(world: Branches, tree: Tree): Promise<Record<string, string>> {
  world.fork('result')
  world.change('result', diffTrees(world.head('result'), tree))
  return Object.fromEntries(Object.entries(await world.files('result')).filter(([name]) => !name.endsWith('/')))
}

async function composed(world: Branches, choose: (file: ComposedFile) => FileChoice): Promise<Tree> {
  const sources = sourcesOf(world)
  const files = await composedFiles(sources)
  const choices = files.map((file) => ({ file, choice: choose(file) }))
  const made = await composeTree({ ...sources, onto: world.head('main'), choices })
  if (!made.ok) throw new Error(`${made.error.path}: ${JSON.stringify(made.error.problem)}`)
  return made.value.tree
}

/** What one source has of a file, by hunks where it can be. */
function allOf(file: ComposedFile, source: number): FileChoice {
  const version = file.versions.find((one) => one.source === source)
  if (!version || version.whole !== null) return { kind: 'whole', from: version ? source : null }
  return { kind: 'hunks', picks: hunksOf(file.segments).map(() => ({ from: [source] })) }
}

const scenario = [base, fc.tuple(edits, edits, edits)] as const

describe('a composition of any trees', () => {
  it('of all hunks of one source is its tree, and of none is what all began with', async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(...scenario, async (files, all) => {
        const world = await worldOf(files, all)
        for (const [source, name] of branchNames.entries()) {
          const tree = await composed(world, (file) => allOf(file, source))
          expect(await leaves(world, tree)).toEqual(await leaves(world, world.head(name)))
          compared += 1
        }
        const none = await composed(world, ({ segments }) =>
          segments.length === 0
            ? { kind: 'whole', from: null }
            : { kind: 'hunks', picks: hunksOf(segments).map(() => ({ from: [] })) },
        )
        expect(none).toEqual(world.head('main'))
      }),
      runs(500, 20_000),
    )
    expect(compared).toBeGreaterThanOrEqual(3 * repeats(500, 20_000))
  })

  it('names the source of every line that not all have, and no other', async () => {
    let pieces = 0
    await fc.assert(
      fc.asyncProperty(...scenario, fc.infiniteStream(fc.nat(2)), async (files, all, drawn) => {
        const world = await worldOf(files, all)
        const sources = sourcesOf(world)
        for (const file of await composedFiles(sources)) {
          const known = file.versions.filter(({ whole }) => whole === null).map(({ source }) => source)
          if (known.length === 0) continue
          const picks = hunksOf(file.segments).map(() => {
            const source = known[(drawn.next().value ?? 0) % known.length]
            return { from: source === undefined ? [] : [source] }
          })
          const choice = { kind: 'hunks', picks } as const
          const made = await composeTree({ ...sources, onto: world.head('main'), choices: [{ file, choice }] })
          if (!made.ok) continue
          const [origin] = made.value.origins
          expect(origin?.pieces.map(({ from }) => from)).toEqual(picks.map(({ from }) => from))
          for (const piece of origin?.pieces ?? []) {
            pieces += 1
            const [source = 0] = piece.from
            const alone = { kind: 'hunks', picks: picks.map(() => ({ from: [source] })) } as const
            const whole = await composeTree({
              ...sources,
              onto: world.head('main'),
              choices: [{ file, choice: alone }],
            })
            if (!whole.ok) throw new Error('A source alone cannot be in the way of itself.')
            const [mine, theirs] = await Promise.all([leaves(world, made.value.tree), leaves(world, whole.value.tree)])
            const twin = whole.value.origins[0]?.pieces[origin?.pieces.indexOf(piece) ?? 0]
            const cut = (text: string | undefined, start: number, lines: number | null) =>
              (text ?? '').match(/[^\n]*\n|[^\n]+$/g)?.slice(start, start + (lines ?? 0)) ?? []
            expect(cut(mine[file.path], piece.start, piece.lines)).toEqual(
              cut(theirs[file.path], twin?.start ?? -1, twin?.lines ?? 0),
            )
          }
        }
      }),
      runs(150),
    )
    expect(pieces).toBeGreaterThan(repeats(150, 3000) / 10)
  })

  it('is the same in whatever order its files are chosen, and choosing by evidence never loses the only change', async () => {
    await fc.assert(
      fc.asyncProperty(...scenario, async (files, all) => {
        const world = await worldOf(files, all)
        const sources = sourcesOf(world)
        const found = await composedFiles(sources)
        const choices = found.flatMap((file) => {
          const choice = choiceOf(proposeFile(file, new Set()))
          return choice ? [{ file, choice }] : []
        })
        const trees = [choices, choices.toReversed()].map((order) =>
          composeTree({ ...sources, onto: world.head('main'), choices: order }),
        )
        const [one, other] = await Promise.all(trees)
        if (!one?.ok || !other?.ok) return
        expect(await leaves(world, other.value.tree)).toEqual(await leaves(world, one.value.tree))
        for (const file of found.filter(({ versions }) => versions.length === 1))
          expect(choices.some((choice) => choice.file === file)).toBe(true)
      }),
      runs(200),
    )
  })
})
