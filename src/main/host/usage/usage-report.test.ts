import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  groupProjects,
  groupUsage,
  projectGroupings,
  totalUsage,
  usageGroupings,
  usageOfFamily,
} from '#shared/model/derived/usage-groups.ts'
import type { UsageReport } from '#shared/model/derived/usage-report.ts'
import { groupTable, usageTable } from '#shared/model/derived/usage-table.ts'
import type { Entry } from '#shared/model/entry.ts'
import { addUsage, noUsage, type Usage } from '#shared/model/models/usage.ts'
import { createUsageFold, dayOf, usageReportTypes } from './usage-report.ts'
import { createUsageReports } from './usage-reports.ts'

type Draft = { readonly type: Entry['type']; readonly threadId: string; readonly [key: string]: unknown }

/** Entries with their sequence, a millisecond apart unless a draft says when. */
function journalOf(drafts: readonly Draft[]): readonly Entry[] {
  return drafts.map((draft, place) => ({ at: 1_000 + place, ...draft, sequence: place + 1 }) as unknown as Entry)
}

function reportOf(drafts: readonly Draft[], starts: readonly number[] = [0]): UsageReport {
  const fold = createUsageFold(starts)
  journalOf(drafts).forEach(fold.take)
  return fold.report()
}

const root = (threadId: string, title: string): Draft => ({
  ...{ type: 'thread.created', threadId, title, agent: 'Coppice', agentType: 'main', depth: 0 },
  ...{ branchId: `${threadId}-branch`, parent: null },
})
const child = (threadId: string, parent: string, callId: string, index = 0, depth = 1): Draft => ({
  ...{ type: 'thread.created', threadId, title: threadId, agent: threadId, agentType: 'worker', depth },
  ...{ branchId: `${threadId}-branch`, parent: { threadId: parent, callId, index } },
})
const started = (threadId: string): Draft => ({ type: 'run.started', threadId })
const batch = (threadId: string, callId: string): Draft => ({ type: 'batch.started', threadId, callId })
const used = (threadId: string, model: string, cost: number | null, more: object = {}): Draft => ({
  ...{ type: 'usage', threadId, model },
  ...{ usage: { ...noUsage, modelCalls: 1, inputTokens: 10, outputTokens: 5, cost } satisfies Usage },
  ...more,
})

const costs = (report: UsageReport, by: (typeof usageGroupings)[number]) =>
  groupUsage(report, by).map(({ name, thread, run, usage }) => [name, thread, run, usage.cost])

describe('a report', () => {
  it('adds up by thread, agent, branch and model, under the present title', () => {
    const report = reportOf([
      root('a', 'First'),
      { type: 'branch.forked', threadId: 'a', branchId: 'a-branch', name: 'workspace' },
      started('a'),
      used('a', 'large', 2),
      child('kid', 'a', 'call'),
      { type: 'branch.forked', threadId: 'a', branchId: 'kid-branch', name: 'kid’s branch' },
      started('kid'),
      used('kid', 'small', 1),
      root('b', 'Second'),
      used('b', 'small', 0.5),
      { type: 'thread.titled', threadId: 'a', title: 'Renamed' },
    ])
    expect(costs(report, 'thread')).toEqual([
      ['Renamed', null, null, 3],
      ['Second', null, null, 0.5],
    ])
    expect(costs(report, 'agent')).toEqual([
      ['Coppice', 'Renamed', null, 2],
      ['kid', 'Renamed', null, 1],
      ['Coppice', 'Second', null, 0.5],
    ])
    expect(costs(report, 'branch').slice(0, 2)).toEqual([
      ['workspace', 'Renamed', null, 2],
      ['kid’s branch', 'Renamed', null, 1],
    ])
    expect(costs(report, 'model')).toEqual([
      ['large', null, null, 2],
      ['small', null, null, 1.5],
    ])
    expect(costs(usageOfFamily(report, 'a'), 'model')).toEqual([
      ['large', null, null, 2],
      ['small', null, null, 1],
    ])
  })

  it('counts runs as attempts, also those of another subagent with the same task of the same batch', () => {
    const report = reportOf([
      root('a', 'Thread'),
      used('a', 'm', 32),
      started('a'),
      used('a', 'm', 16),
      started('a'),
      used('a', 'm', 8),
      batch('a', 'call'),
      child('one', 'a', 'call', 0),
      child('two', 'a', 'call', 1),
      started('one'),
      used('one', 'm', 4),
      started('two'),
      used('two', 'm', 2),
      { type: 'batch.retried', threadId: 'a', callId: 'call' },
      child('again', 'a', 'call', 0),
      started('again'),
      used('again', 'm', 1),
    ])
    expect(groupUsage(report, 'run').map(({ name, run, usage }) => [name, run, usage.cost])).toEqual([
      ['Coppice', 0, 32],
      ['Coppice', 1, 16],
      ['Coppice', 2, 8],
      ['one', 1, 4],
      ['two', 1, 2],
      ['again', 2, 1],
    ])
    expect(groupUsage(report, 'batch').map(({ batch, usage }) => [batch?.tasks ?? null, usage.cost])).toEqual([
      [null, 56],
      [2, 7],
    ])
  })

  it('gives a batch also what agents below its tasks used, and tells calls with one id in two threads apart', () => {
    const report = reportOf([
      root('a', 'A'),
      root('b', 'B'),
      batch('a', 'call'),
      child('task', 'a', 'call'),
      child('below', 'task', 'other', 0, 2),
      used('below', 'm', 3),
      child('plain', 'b', 'call'),
      used('plain', 'm', 1),
    ])
    expect(groupUsage(report, 'batch').map(({ thread, usage }) => [thread, usage.cost])).toEqual([
      ['A', 3],
      [null, 1],
    ])
  })

  it('sums by day, leaves out what came before, and knows the purpose', () => {
    const report = reportOf(
      [
        root('a', 'A'),
        used('a', 'm', 9, { at: 99 }),
        used('a', 'm', 1, { at: 100 }),
        used('a', 'm', 2, { at: 199, for: 'summary' }),
        used('a', 'm', 4, { at: 900 }),
      ],
      [100, 200, 300],
    )
    expect(groupUsage(report, 'day').map(({ day, usage }) => [day, usage.cost])).toEqual([
      [300, 4],
      [100, 3],
    ])
    expect(report.rows.map(({ purpose }) => purpose)).toEqual(['reply', 'summary', 'reply'])
  })

  it('keeps the usage of a thread whose beginning is lost', () => {
    const report = reportOf([used('gone', 'm', 1)])
    for (const by of usageGroupings) expect(totalUsage(groupUsage(report, by)).cost).toBe(1)
  })

  it('never counts an unknown cost as 0', () => {
    const report = reportOf([root('a', 'A'), used('a', 'known', 1), used('a', 'other', null), used('a', 'other', null)])
    const sum = totalUsage(report.rows)
    expect([sum.cost, sum.knownCost, sum.unpricedInput, sum.unpricedOutput]).toEqual([null, 1, 20, 10])
    const head = usageTable(report)[0]?.indexOf('cost_usd') ?? -1
    expect(usageTable(report).map((cells) => cells[head])).toEqual(['cost_usd', 1, null])
    expect(groupTable('thread', groupUsage(report, 'thread'))[1]?.slice(-3)).toEqual([null, 1, 30])
  })
})

/** A small journal of families with batches, retries, renamed threads and models with and without a price. */
const anyJournal = fc
  .array(
    fc.record({
      what: fc.constantFrom('root', 'child', 'batch', 'run', 'use', 'use', 'use'),
      thread: fc.nat(),
      call: fc.nat(2),
      index: fc.nat(2),
      model: fc.constantFrom('p/one', 'p/two', 'three'),
      cost: fc.option(fc.integer({ min: 0, max: 64 }).map((sixteenths) => sixteenths / 16)),
      tokens: fc.nat(1_000),
      wait: fc.nat(40),
      purpose: fc.constantFrom({}, { for: 'summary' as const }, { for: 'grade' as const }),
    }),
    { maxLength: 60 },
  )
  .map((steps) => {
    const threads = ['r']
    let at = 100
    const drafts: Draft[] = [{ ...root('r', 'R'), at }]
    for (const { what, thread, call, index, model, cost, tokens, wait, purpose } of steps) {
      const id = threads[thread % threads.length] ?? 'r'
      const next = `t${threads.length}`
      at += wait
      if (what === 'root' || what === 'child') threads.push(next)
      const usage: Usage = { ...noUsage, modelCalls: 1, inputTokens: tokens, cacheReadTokens: tokens % 7, cost }
      drafts.push({
        ...(what === 'root' && root(next, next)),
        ...(what === 'child' && child(next, id, `call${call}`, index)),
        ...(what === 'batch' && batch(id, `call${call}`)),
        ...(what === 'run' && started(id)),
        ...(what === 'use' && { type: 'usage', threadId: id, model, usage, ...purpose }),
        at,
      } as Draft)
    }
    return drafts
  })

/** As plain numbers, so that a sum of known costs equals one that has no unknown parts. */
const plain = (usage: Usage) => addUsage(usage, { ...noUsage, cost: null })

it('adds up to the same whatever it is grouped by, and to the sum of all entries', () => {
  fc.assert(
    fc.property(anyJournal, (drafts) => {
      const entries = journalOf(drafts)
      const expected = entries.reduce((sum, one) => (one.type === 'usage' ? addUsage(sum, one.usage) : sum), noUsage)
      const report = reportOf(drafts, [0, 150, 300, 450])
      expect(plain(totalUsage(report.rows))).toEqual(plain(expected))
      for (const by of usageGroupings) {
        const groups = groupUsage(report, by)
        expect(plain(totalUsage(groups)), by).toEqual(plain(expected))
        expect(new Set(groups.map(({ key }) => key)).size).toBe(groups.length)
      }
      const unknown = report.rows.some(({ usage }) => usage.cost === null)
      expect(totalUsage(report.rows).cost === null).toBe(unknown)
      const project = { id: 'p', name: 'P', folder: null, rows: report.rows, problem: null }
      for (const by of projectGroupings)
        expect(plain(totalUsage(groupProjects([project, { ...project, id: 'q' }], by)))).toEqual(
          plain(addUsage(expected, expected)),
        )
    }),
  )
})

it('is the same when it goes on from an earlier report, in pieces or side by side', async () => {
  await fc.assert(
    fc.asyncProperty(anyJournal, fc.nat(), fc.integer({ min: 1, max: 7 }), async (drafts, cut, size) => {
      const entries = journalOf(drafts)
      let stored = cut % (entries.length + 1)
      const log = {
        *pages(_: number, { after = 0, types = usageReportTypes as readonly Entry['type'][] } = {}) {
          const found = entries.slice(0, stored).filter((one) => one.sequence > after && types.includes(one.type))
          for (let from = 0; from < found.length; from += size) yield found.slice(from, from + size)
        },
      }
      const report = createUsageReports()
      await Promise.all([report(log, [0, 150]), report(log, [0, 150])])
      stored = entries.length
      expect(await report(log, [0, 150])).toEqual(reportOf(drafts, [0, 150]))
      expect(await report(log, [0, 300])).toEqual(reportOf(drafts, [0, 300]))
    }),
  )
})

it('finds the day of a moment', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(1_000)), fc.nat(1_000), (days, at) => {
      const starts = days.toSorted((a, b) => a - b)
      expect(dayOf(starts, at)).toBe(starts.findLast((start) => start <= at) ?? null)
    }),
  )
})

it('makes a report of 100,000 requests in pieces that leave room for others', async () => {
  const drafts = Array.from({ length: 50 }, (_, thread) => root(`t${thread}`, `Thread ${thread}`))
  const entries = journalOf([
    ...drafts,
    ...Array.from({ length: 100_000 }, (_, place) => used(`t${place % 50}`, `m${place % 4}`, 0.5)),
  ])
  let pages = 0
  const log = {
    *pages(limit: number) {
      for (let from = 0; from < entries.length; from += limit) {
        pages += 1
        yield entries.slice(from, from + limit)
      }
    },
  }
  let turns = 0
  const counting = setInterval(() => {
    turns += 1
  }, 0)
  const report = await createUsageReports()(log, [0])
  clearInterval(counting)
  expect(totalUsage(report.rows).cost).toBe(50_000)
  expect(pages).toBeGreaterThan(20)
  expect(turns, 'others had their turn meanwhile').toBeGreaterThan(5)
})
