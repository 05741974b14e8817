import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Tree, treeHash } from '#overlay'
import { testHashing } from '#overlay/testkit'
import { outlineOf } from '#shared/model/derived/outline.ts'
import type { Entry } from '#shared/model/entry.ts'
import { threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { findTerminal } from '#shared/model/project-state.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createMemoryFolds, createMemoryJournal } from '../../ports/journal.testkit.ts'
import type { Journal } from '../../ports/journal.ts'
import type { FoldStore, StoredFold } from '../../ports/stores/fold-store.ts'
import { runs } from '../../ports/test-size.testkit.ts'
import { openProjectLog, openProjectLogInSteps, type ProjectLog } from '../project-log.ts'
import type { OpeningProgress } from './open-families.ts'
import { foldVersion } from './project-fold.ts'
import { beginStory, type Happening, happen, randomStory } from './random-journal.testkit.ts'

const whole = Number.POSITIVE_INFINITY

function open(journal: Journal, loadedWhole: number, folds?: FoldStore): ProjectLog {
  return openProjectLog(journal, () => {}, { loadedWhole, ...(folds && { folds }) })
}

/** A journal in which the story happened to a log that knows all of it. */
function journalOf(story: readonly Happening[]): { readonly journal: Journal; readonly log: ProjectLog } {
  const journal = createMemoryJournal(() => 1_000)
  const log = open(journal, whole)
  const told = beginStory(log)
  for (const one of story) happen(told, one)
  return { journal, log }
}

/** Everything that a log knows, as plain data. The order in which families were loaded does not count. */
function knownBy(log: ProjectLog): unknown {
  log.load([...log.families().keys()])
  const { state, trees } = log
  return plain({ state, trees, families: [...log.families().values()] })
}

function plain(value: unknown): unknown {
  if (isMap(value)) return [...value].map(([key, one]) => [String(key), plain(one)]).sort(byKey)
  if (isTree(value)) return treeHash(value, testHashing)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]))
}

function byKey([one]: readonly unknown[], [other]: readonly unknown[]): number {
  return String(one) < String(other) ? -1 : 1
}

function isMap(value: unknown): value is ReadonlyMap<unknown, unknown> {
  return value instanceof Map || (typeof value === 'object' && value !== null && 'touchedSince' in value)
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && 'root' in value && 'size' in value
}

/** A small fold that was stored after the first `count` entries. */
function foldAfter(entries: readonly Entry[], count: number): FoldStore {
  const folds = createMemoryFolds()
  const earlier = createMemoryJournal(() => 1_000)
  for (const { sequence: _, at: _at, ...draft } of entries.slice(0, count)) earlier.append([draft])
  open(earlier, 0, folds).keepFold(0)
  return folds
}

describe('a project whose families are loaded when they are needed', () => {
  it('is the same as one that is loaded whole', () => {
    fc.assert(
      fc.property(randomStory, (story) => {
        const { journal, log } = journalOf(story)
        expect(knownBy(open(journal, 0))).toEqual(knownBy(log))
      }),
      runs(200, 10_000),
    )
  })

  it('is the same when it begins with a fold that was stored at any time', () => {
    fc.assert(
      fc.property(randomStory, fc.double({ min: 0, max: 1, noNaN: true }), (story, share) => {
        const { journal, log } = journalOf(story)
        const entries = journal.read({ after: 0 })
        const folds = foldAfter(entries, Math.floor(share * entries.length))
        expect(knownBy(open(journal, 0, folds))).toEqual(knownBy(log))
      }),
      runs(200, 10_000),
    )
  })

  it('goes on like one that is loaded whole, whatever it lets go of meanwhile', () => {
    fc.assert(
      fc.property(randomStory, fc.array(fc.boolean(), { minLength: 1 }), (happened, releases) => {
        const { log } = journalOf(happened)
        const journal = createMemoryJournal(() => 1_000)
        const small = open(journal, 0)
        const story = beginStory(small)
        happened.forEach((one, index) => {
          happen(story, one)
          if (releases[index % releases.length]) small.release(whole)
        })
        expect(knownBy(small)).toEqual(knownBy(log))
      }),
      runs(200, 10_000),
    )
  })

  it('reads the entries again when the fold is damaged, of another version or ahead of the journal', () => {
    const change = fc.oneof(
      fc.nat().map((at) => (fold: StoredFold) => ({ ...fold, body: fold.body.slice(0, at % (fold.body.length + 1)) })),
      fc.constant((fold: StoredFold) => ({ ...fold, version: `${foldVersion}0` })),
      fc.constant((fold: StoredFold) => ({ ...fold, sequence: fold.sequence + 1_000 })),
    )
    fc.assert(
      fc.property(randomStory, change, (story, damage) => {
        const { journal, log } = journalOf(story)
        const folds = foldAfter(journal.read({ after: 0 }), journal.last())
        const stored = folds.read()
        if (stored) folds.write(damage(stored))
        expect(knownBy(open(journal, 0, folds))).toEqual(knownBy(log))
      }),
      runs(50, 2_500),
    )
  })

  it('is the same when other work is done between the steps of its opening, one for each unknown family', async () => {
    const story = fc.asyncProperty(randomStory, fc.boolean(), async (happened, hasFold) => {
      const { journal, log } = journalOf(happened)
      const folds = hasFold ? foldAfter(journal.read({ after: 0 }), journal.last()) : createMemoryFolds()
      const steps: OpeningProgress[] = []
      const opened = await openProjectLogInSteps(journal, () => {}, {
        ...{ folds, loadedWhole: 0 },
        afterStep: async (progress) => void steps.push(progress),
      })
      const total = hasFold ? 0 : journal.roots().length
      expect(steps).toEqual(Array.from({ length: total }, (_, index) => ({ done: index + 1, total })))
      expect(knownBy(opened)).toEqual(knownBy(log))
    })
    await fc.assert(story, runs(50, 2_500))
  })

  it('begins with a fold of the version before, which told all of each thread', async () => {
    const journal = createMemoryJournal(() => 1_000)
    const threadId = 'thread' as ThreadId
    journal.append([{ threadId, ...threadCreated('branch' as BranchId, { title: 'Known' }) }])
    const folds = foldAfter(journal.read({ after: 0 }), 1)
    const { body = '', sequence = 0 } = folds.read() ?? {}
    const whole = body.replace('"root":{', '"root":{"parent":null,"memory":true,"todos":[],"messages":[],"calls":[],')
    expect(whole).not.toBe(body)
    folds.write({ version: '1', sequence, body: whole })
    const steps: OpeningProgress[] = []
    const afterStep = async (progress: OpeningProgress) => void steps.push(progress)
    const opened = await openProjectLogInSteps(journal, () => {}, { folds, loadedWhole: 0, afterStep })
    expect(steps).toEqual([])
    const { threads } = outlineOf(opened.state, opened.families(), null)
    expect(threads).toMatchObject([{ id: 'thread', title: 'Known' }])
  })

  // Mutation: a family that counts as idle is not loaded, and nobody would find its terminals by their names.
  it('has every terminal that runs or waits for a decision, and only those', () => {
    const journal = createMemoryJournal(() => 1_000)
    const branch = { threadId: 'thread' as ThreadId, branchId: 'branch' as BranchId }
    const patch = [['/a' as VirtualPath, [null, null]]] as const
    const begin = (terminalId: string) => ({ type: 'terminal.started', ...branch, terminalId }) as const
    const end = (terminalId: string) => ({ type: 'terminal.ended', ...branch, terminalId, patch }) as const
    journal.append([
      { ...branch, ...threadCreated(branch.branchId, { title: 'Known' }) },
      ...['runs', 'waits', 'decided', 'unchanged'].map(begin),
      ...['waits', 'decided'].map(end),
      { ...end('unchanged'), patch: [] },
      { type: 'terminal.decided', ...branch, terminalId: 'decided', kept: true },
    ])
    const folds = foldAfter(journal.read({ after: 0 }), 100)
    const { state } = open(journal, 0, folds)
    const shown = ['runs', 'waits', 'decided', 'unchanged'].map((id) => findTerminal(state, id)?.patch)
    expect(shown).toEqual([null, patch, undefined, undefined])
  })

  it('visits every family as it is', () => {
    fc.assert(
      fc.property(randomStory, (story) => {
        const { journal, log } = journalOf(story)
        const visited = (one: ProjectLog) => [...one.visitFamilies()].map(({ state }) => plain(state.threads))
        expect(visited(open(journal, 0))).toEqual(visited(log))
      }),
      runs(50, 2_500),
    )
  })
})
