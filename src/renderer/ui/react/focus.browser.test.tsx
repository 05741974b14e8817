import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { holdFocus } from './focus.ts'

beforeEach(() => {
  document.body.innerHTML = '<div id="box" tabindex="-1"></div><button id="other">Other</button>'
})
afterEach(() => vi.useRealTimers())

const at = (id: string): HTMLElement | null => document.getElementById(id)
const focused = (): string | undefined => document.activeElement?.id

function drawRow(): void {
  at('box')?.insertAdjacentHTML('beforeend', '<button id="row">Row</button>')
}

/** Holds the focus for the row that is drawn later, with a clock that stands still. */
function holdRow(onEnd = vi.fn<() => void>()): typeof onEnd {
  vi.useFakeTimers({ toFake: ['performance'] })
  at('box')?.focus()
  holdFocus(() => at('row'), { from: at('box'), onEnd })
  return onEnd
}

it('focuses a row once it is drawn, and again when it is drawn anew before its list is at rest', async () => {
  const onEnd = holdRow()
  drawRow()
  await expect.poll(focused).toBe('row')
  at('row')?.remove()
  expect(focused()).toBe('')
  drawRow()
  await expect.poll(focused).toBe('row')
  expect(onEnd).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1_000)
  await expect.poll(() => onEnd.mock.calls.length).toBe(1)
})

it('leaves the focus to a person who puts it elsewhere, before and after the row is drawn', async () => {
  const early = holdRow()
  at('other')?.focus()
  await expect.poll(() => early.mock.calls.length).toBe(1)
  drawRow()
  const late = holdRow()
  await expect.poll(focused).toBe('row')
  at('other')?.focus()
  await expect.poll(() => late.mock.calls.length).toBe(1)
  expect(focused()).toBe('other')
})

it('asks the list again as long as the row is not drawn, and gives up in the end', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const [seek, onEnd] = [vi.fn<() => void>(), vi.fn<() => void>()]
  holdFocus(() => at('row'), { seek, onEnd })
  vi.advanceTimersByTime(400)
  await expect.poll(() => seek.mock.calls.length).toBe(1)
  vi.advanceTimersByTime(10_000)
  await expect.poll(() => onEnd.mock.calls.length).toBe(1)
})

it('keeps an element in sight until nothing above it has grown for a while', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  document.body.innerHTML =
    '<div id="list" style="height: 200px; overflow: auto; overflow-anchor: none">' +
    '<div id="above"></div><button id="row" style="display: block; height: 50px">Row</button><div style="height: 2000px"></div></div>'
  const onEnd = vi.fn<() => void>()
  const inSight = (): boolean =>
    (at('row')?.getBoundingClientRect().bottom ?? 0) <= (at('list')?.getBoundingClientRect().bottom ?? 0)
  const grow = (pixels: number): void => void at('above')?.style.setProperty('height', `${pixels}px`)
  holdFocus(() => at('row'), { keepsInSight: true, onEnd })
  for (const pixels of [400, 800, 1_200]) {
    grow(pixels)
    expect(inSight()).toBe(false)
    await expect.poll(inSight).toBe(true)
    // Longer in all than a list needs to be at rest.
    vi.advanceTimersByTime(200)
  }
  expect(onEnd).not.toHaveBeenCalled()
  vi.advanceTimersByTime(400)
  await expect.poll(() => onEnd.mock.calls.length).toBe(1)
})

it('does not take one slow frame for rest', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  drawRow()
  const onEnd = vi.fn<() => void>()
  const nextFrame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve))
  holdFocus(() => at('row'), { keepsInSight: true, onEnd })
  vi.advanceTimersByTime(2_000)
  await nextFrame()
  await nextFrame()
  expect(onEnd).not.toHaveBeenCalled()
  await expect.poll(() => onEnd.mock.calls.length).toBe(1)
})

// Mutation: without the look for dialogs, keys that a person presses in the dialog would decide what lies behind it.
it('leaves the focus in an open dialog, and takes it once the dialog is closed', async () => {
  document.body.insertAdjacentHTML('beforeend', '<div role="dialog"><input id="field" /></div>')
  at('field')?.focus()
  drawRow()
  const release = holdFocus(() => at('row'), { keepsInSight: true })
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  expect(focused()).toBe('field')
  document.querySelector('[role=dialog]')?.remove()
  await expect.poll(focused).toBe('row')
  release()
})
