import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { Entry } from '#shared/model/entry.ts'
import { threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import { familiesIn } from '#shared/model/fold/family.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { emptyProject } from '#shared/model/project-state.ts'
import { type EventFolds, foldEvents, initialState } from '../store/app-state.ts'
import { agentReply, event, userMessage } from '../store/entries.testkit.ts'
import { createFamilyFold, nextTurn } from './family-fold.ts'

const [first, copy] = ['first', 'copy'] as ThreadId[] as [ThreadId, ThreadId]

function begins(sequence: number, threadId: ThreadId): Entry {
  return event(sequence, threadCreated(`branch ${threadId}` as BranchId, { title: threadId }), threadId) as Entry
}

function talk(from: number, threadId: ThreadId, count: number): readonly Entry[] {
  return Array.from({ length: count }, (_, at) => {
    const id = `${threadId} ${at}`
    return { ...event(from + at, at % 3 === 0 ? userMessage(id, 'Hello') : agentReply(id, 'Hi')), threadId } as Entry
  })
}

const source: readonly Entry[] = [begins(1, first), ...talk(2, first, 30)]
const sourceState = foldEvents(initialState, source).project
const checkpoint = sourceState.past.threads.get(first)?.value.sequence ?? 0
/** A thread that begins as a copy of another one, and goes on. */
const story: readonly Entry[] = [
  begins(40, copy),
  { ...event(41, { type: 'thread.copied', from: first, to: checkpoint }), threadId: copy } as Entry,
  ...talk(42, copy, 400),
]

const short = story.slice(0, 60)
const whole = foldEvents(initialState, [...source, ...short])

const shownBy = ({ project, timeline }: EventFolds) => ({
  thread: project.threads.get(copy),
  past: project.past.threads.get(copy),
  ends: timeline.ends.get(copy),
})

function openFold(upTo: () => number, pause = nextTurn, signal = new AbortController().signal) {
  const read: ThreadId[] = []
  const fold = createFamilyFold({
    upTo,
    readSource: async ({ from }) => void read.push(from),
    sourceOf: ({ from }) => familiesIn(sourceState, [from], emptyProject),
    ...{ pause, signal },
  })
  return { fold, read }
}

describe('the fold of a family', () => {
  it('is that of all its entries, however they are cut and whatever the window knows meanwhile', async () => {
    expect(shownBy(whole).thread?.messages.length).toBeGreaterThan(60)
    const cuts = fc.array(fc.record({ size: fc.nat(30), known: fc.nat(110) }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(cuts, async (pieces) => {
        let known = 0
        const { fold, read } = openFold(() => known)
        let from = 0
        for (const { size, ...window } of pieces) {
          known = Math.max(known, window.known)
          await fold.add(short.slice(from, from + size))
          from = Math.min(from + size, short.length)
        }
        known = Number.POSITIVE_INFINITY
        expect(shownBy(fold.end(short.slice(from)))).toEqual(shownBy(whole))
        expect(read).toEqual(from > 1 ? [first] : [])
      }),
      { numRuns: 40 },
    )
  })

  it('leaves out what the window has not folded', async () => {
    const { fold } = openFold(() => 100)
    await fold.add(story)
    expect(fold.last()).toBe(441)
    expect(fold.end([]).project.sequence).toBe(100)
  })

  it('lets the page do something else after each slice, and stops when it is closed', async () => {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 6))
    const closed = new AbortController()
    let pauses = 0
    const pause = async (): Promise<void> => {
      pauses += 1
      if (pauses === 2) closed.abort()
    }
    const { fold } = openFold(() => 1_000, pause, closed.signal)
    await fold.add(story)
    expect(pauses).toBe(2)
    expect(fold.end([]).project.sequence).toBeLessThan(story.at(-1)?.sequence ?? 0)
  })
})
