import { expect, it } from 'vitest'
import { axisTicks, needsSeconds } from './axis.ts'
import { createTimeScale } from './time-scale.ts'

const noon = Date.UTC(2026, 4, 20, 12)

/** Ticks for stretches of seconds since noon, drawn over a width. */
function ticksOf(width: number, ...stretches: readonly (readonly [number, number])[]) {
  const scale = createTimeScale(stretches.map(([from, to]) => ({ start: noon + from * 1000, end: noon + to * 1000 })))
  return axisTicks({
    width,
    timeAt: (place) => scale.timeAt((place / width) * scale.length),
    placeOf: (time) => (scale.at(time) / scale.length) * width,
  })
}
const seconds = (ticks: ReturnType<typeof ticksOf>) => ticks.map(({ time }) => (time - noon) / 1000)

it('names round moments that are far enough apart to be read', () => {
  const ticks = ticksOf(900, [0, 60])
  expect(seconds(ticks)).toEqual([0, 10, 20, 30, 40, 50, 60])
  expect(needsSeconds(ticks)).toBe(true)
  expect(seconds(ticksOf(900, [0, 3600]))).toEqual([0, 600, 1200, 1800, 2400, 3000, 3600])
  expect(needsSeconds(ticksOf(900, [0, 3600]))).toBe(false)
})

it('takes no longer for a pause of weeks, and never names one moment twice', () => {
  const ticks = ticksOf(900, [0, 20], [3_000_000, 3_000_020])
  expect(ticks.length).toBeGreaterThan(2)
  expect(ticks.length).toBeLessThan(12)
  expect(new Set(ticks.map(({ time }) => time)).size).toBe(ticks.length)
  const gaps = ticks.slice(1).map(({ place }, index) => place - (ticks[index]?.place ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(88)
})
