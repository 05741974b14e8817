import type { ReactNode } from 'react'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { userEvent } from 'vitest/browser'
import type { AppInfo } from '#shared/contract/views/app.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { saveNotifications } from '../state/preferences/notifications.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import { created, event, threadId } from '../state/store/entries.testkit.ts'
import { showThread } from '../state/store/ui-state.ts'
import { useAttention } from './attention.tsx'
import { isOutOfSight } from './notifications.ts'
import { playSound } from './sounds.ts'

function Window(): ReactNode {
  useAttention()
  return <p>window</p>
}

beforeEach(() => localStorage.clear())

function setFocus(hasFocus: boolean): void {
  Object.defineProperty(document, 'hasFocus', { configurable: true, value: () => hasFocus })
  onTestFinished(() => void Reflect.deleteProperty(document, 'hasFocus'))
}

it('what a person sees by themselves is not told', () => {
  setFocus(true)
  expect([isOutOfSight({ isShown: true }), isOutOfSight({ isShown: false })]).toEqual([false, true])
  setFocus(false)
  expect([isOutOfSight({ isShown: true }), isOutOfSight({ isShown: false })]).toEqual([true, true])
})

/** The pitch of each tone from now on. */
function hearTones(): readonly number[] {
  const pitches: number[] = []
  const start = OscillatorNode.prototype.start
  OscillatorNode.prototype.start = function (this: OscillatorNode, ...given) {
    pitches.push(this.frequency.value)
    start.apply(this, given)
  }
  onTestFinished(() => {
    OscillatorNode.prototype.start = start
  })
  return pitches
}

it('a sound is made on the spot, and of many at once one is heard', async () => {
  const pitches = hearTones()
  // Before that, the browser lets no page sound.
  await userEvent.click(document.body)
  for (let time = 0; time < 5; time += 1) playSound('needsYou')
  await expect.poll(() => pitches).toEqual([660, 880])
})

// Mutation: with tones that are made at once, the first click plays those of a whole night together.
it('a sound that the browser held back for long is not made up for', async () => {
  const pitches = hearTones()
  const later = performance.now() + 10_000
  const time = vi.spyOn(performance, 'now').mockReturnValue(later)
  const state = vi.spyOn(AudioContext.prototype, 'state', 'get').mockReturnValue('suspended')
  const { promise, resolve } = Promise.withResolvers<void>()
  const resume = vi.spyOn(AudioContext.prototype, 'resume').mockReturnValue(promise)
  onTestFinished(() => {
    for (const one of [time, state, resume]) one.mockRestore()
  })
  playSound('done')
  time.mockReturnValue(later + 5_000)
  resolve()
  await promise
  await Promise.resolve()
  expect([resume.mock.calls.length, pitches]).toEqual([1, []])
})

it('in a window in front, the end of another thread is told, and that of the shown one is not', async () => {
  setFocus(true)
  saveNotifications(localStorage, { needsYou: true, done: true, sounds: false })
  const told: unknown[] = []
  const other = 'other' as ThreadId
  const { session, receive } = await renderInWindow(
    <Window />,
    { 'window.notify': (input: unknown) => void told.push(input), 'window.showWork': () => undefined },
    [
      event(1, created),
      event(2, created, other),
      event(3, { type: 'run.started' }),
      event(4, { type: 'run.started' }, other),
    ],
  )
  session.store.setState((state) => ({
    connection: 'connected',
    info: { shell: 'desktop' } as AppInfo,
    ui: showThread(state.ui, threadId),
  }))
  const ends = { type: 'run.ended', status: 'done', reason: 'completed', message: '' } as const
  receive(event(5, ends))
  receive(event(6, ends, other))
  await expect.poll(() => told).toEqual([expect.objectContaining({ id: other, evenInFront: true, canApprove: false })])
})
