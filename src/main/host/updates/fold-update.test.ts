import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { UpdateState } from '#shared/contract/views/updates.ts'
import { someVersion } from './fake-updater.testkit.ts'
import { foldUpdate, type UpdateEvent } from './fold-update.ts'

const firstUpdateState: UpdateState = { kind: 'current', checkedAt: null }
const stateAfter = (...events: readonly UpdateEvent[]): UpdateState => events.reduce(foldUpdate, firstUpdateState)
const found: UpdateEvent = { type: 'found', found: someVersion }
const downloaded = [{ type: 'asked' }, found, { type: 'downloaded' }] as const

describe('the state of updates', () => {
  it('goes from the question over the download to a version that waits for the person', () => {
    expect(stateAfter({ type: 'asked' })).toEqual({ kind: 'checking' })
    expect(stateAfter({ type: 'asked' }, { type: 'none', at: 7 })).toEqual({ kind: 'current', checkedAt: 7 })
    expect(stateAfter({ type: 'asked' }, found)).toEqual({ kind: 'downloading', found: someVersion, share: 0 })
    expect(stateAfter(...downloaded)).toEqual({ kind: 'ready', found: someVersion })
  })

  it('waits for agents, and goes back when the person takes it back', () => {
    const waiting = stateAfter(...downloaded, { type: 'wanted', working: 2 })
    expect(waiting).toEqual({ kind: 'waiting', found: someVersion, working: 2 })
    expect(foldUpdate(waiting, { type: 'unwanted' })).toEqual({ kind: 'ready', found: someVersion })
    expect(foldUpdate(waiting, { type: 'wanted', working: 0 })).toEqual({ kind: 'installing', found: someVersion })
  })

  it('never shows less of a download than before', () => {
    const shares = [0.5, 0.2, Number.NaN, 3].map((share) => ({ type: 'received', share }) as const)
    expect(stateAfter({ type: 'asked' }, found, ...shares.slice(0, 3))).toMatchObject({ share: 0.5 })
    expect(stateAfter({ type: 'asked' }, found, ...shares)).toMatchObject({ share: 1 })
  })

  it('says which version did not come, and asks again from there', () => {
    const failed = stateAfter({ type: 'asked' }, found, { type: 'failed', problem: 'disk', detail: 'full' })
    expect(failed).toEqual({ kind: 'failed', problem: 'disk', detail: 'full', found: someVersion })
    expect(foldUpdate(failed, { type: 'asked' })).toEqual({ kind: 'checking' })
  })

  it('throws no downloaded version away by asking again', () => {
    expect(foldUpdate(stateAfter(...downloaded), { type: 'asked' })).toEqual({ kind: 'ready', found: someVersion })
  })

  it('installs only what was downloaded and wanted, and never where another program brings versions', () => {
    const event = fc.oneof(
      fc.constant<UpdateEvent>({ type: 'asked' }),
      fc.constant<UpdateEvent>(found),
      fc.constant<UpdateEvent>({ type: 'none', at: 1 }),
      fc.constant<UpdateEvent>({ type: 'downloaded' }),
      fc.constant<UpdateEvent>({ type: 'received', share: 0.3 }),
      fc.nat(2).map((working): UpdateEvent => ({ type: 'wanted', working })),
      fc.constant<UpdateEvent>({ type: 'unwanted' }),
      fc.constant<UpdateEvent>({ type: 'failed', problem: 'network', detail: '' }),
    )
    const managed: UpdateState = { kind: 'managed', by: 'npm', command: 'npm i' }
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        let state: UpdateState = foldUpdate(firstUpdateState, { type: 'unwanted' })
        for (const one of events) {
          const next = foldUpdate(state, one)
          if (next.kind === 'installing' && state.kind !== 'installing')
            expect([['ready', 'waiting'].includes(state.kind), one]).toEqual([true, { type: 'wanted', working: 0 }])
          state = next
        }
        expect(events.reduce(foldUpdate, managed)).toBe(managed)
      }),
    )
  })
})
