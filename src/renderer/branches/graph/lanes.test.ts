import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LayeredMap } from '#shared/base/layered-map.ts'
import type { BranchId, Sequence } from '#shared/model/ids.ts'
import type { BranchEvent, BranchEventKind, BranchEvents } from '../../state/store/branch-events.ts'
import { extendLanes, noLanes } from './lanes.ts'

const id = (name: string): BranchId => name as BranchId
const eventAt = (sequence: number, kind: BranchEventKind, other: string | null = null): BranchEvent => ({
  id: sequence as Sequence,
  sequence: sequence as Sequence,
  at: sequence,
  kind,
  paths: 1,
  other: other as BranchId | null,
  calls: [],
  label: '',
  messageId: null,
})
const eventsOf = (all: Readonly<Record<string, readonly BranchEvent[]>>): BranchEvents =>
  Object.entries(all).reduce((map, [name, events]) => map.with(id(name), events), LayeredMap.empty() as BranchEvents)

const order = ['root', 'a', 'b'].map(id)
const events = eventsOf({
  root: [eventAt(1, 'fork'), eventAt(2, 'work'), eventAt(7, 'taken', 'a')],
  a: [eventAt(3, 'fork', 'root'), eventAt(5, 'work'), eventAt(7, 'merge', 'root')],
  b: [eventAt(4, 'fork', 'root'), eventAt(6, 'discard')],
})

describe('lanes of the branch graph', () => {
  const lanes = extendLanes(noLanes, order, events)
  const columns = (name: string) => lanes.nodes.get(id(name))?.map(({ column }) => column)

  it('puts every event in the first column after the one it follows', () => {
    expect([columns('root'), columns('a'), columns('b')]).toEqual([
      [0, 1, 4],
      [2, 3, 4],
      [2, 3],
    ])
    expect(lanes.columns).toBe(5)
  })

  it('returns the same layout when there is no new event', () => expect(extendLanes(lanes, order, events)).toBe(lanes))

  it('starts a new layout for another thread', () => {
    const other = extendLanes(lanes, [id('c')], eventsOf({ c: [eventAt(1, 'fork')] }))
    expect([...other.nodes.keys()]).toEqual(['c'])
  })

  it('is the same whether events come one by one or all at once', () => {
    const kinds = fc.constantFrom<BranchEventKind>('work', 'checkpoint', 'merge', 'force', 'discard', 'fork')
    fc.assert(
      fc.property(fc.array(fc.tuple(kinds, fc.nat()), { maxLength: 60 }), (script) => {
        let all: BranchEvents = eventsOf({ root: [eventAt(1, 'fork')] })
        let names = [id('root')]
        let step = extendLanes(noLanes, names, all)
        const append = (branchId: BranchId, event: BranchEvent): void => {
          const before = all.get(branchId) ?? []
          const last = before.at(-1)
          const joins = last?.kind === 'work' && event.kind === 'work'
          all = all.with(branchId, joins ? before.with(-1, { ...event, id: last.id }) : [...before, event])
        }
        script.forEach(([kind, pick], index) => {
          const on = names[pick % names.length] ?? id('root')
          const sequence = index + 2
          if (kind === 'fork') {
            names = [...names, id(`b${index}`)]
            append(id(`b${index}`), eventAt(sequence, 'fork', on))
          } else if (kind === 'merge' || kind === 'force') {
            if (on === id('root')) return
            append(on, eventAt(sequence, kind, 'root'))
            append(id('root'), eventAt(sequence, 'taken', on))
          } else append(on, eventAt(sequence, kind))
          step = extendLanes(step, names, all)
        })
        expect(step).toEqual(extendLanes(noLanes, names, all))
        for (const own of step.nodes.values()) {
          const columns = own.map(({ column }) => column)
          expect(columns).toEqual([...new Set(columns)].sort((a, b) => a - b))
        }
      }),
    )
  })
})
