import { expect, it } from 'vitest'
import { drawTimeline } from './draw-timeline.ts'
import type { GraphNode } from './lanes.ts'

type Drawing = Parameters<typeof drawTimeline>[0]

/** The places of the dots of one lane, in the order in which they were drawn. */
function dotsOf(events: readonly (readonly [kind: string, at: number])[]): readonly number[] {
  const dots: number[] = []
  const context = new Proxy({} as Record<string, unknown>, {
    get: (_, name) => (name === 'arc' ? (x: number) => dots.push(x) : () => undefined),
    set: () => true,
  })
  const nodes = events.map(([kind, at]) => ({ event: { kind, at } }) as unknown as GraphNode)
  drawTimeline({
    context: context as unknown as Drawing['context'],
    palette: { agents: [] } as unknown as Drawing['palette'],
    lanes: [{ hue: null, spans: [], nodes, parentRow: null, end: null, selected: false }],
    firstRow: 0,
    top: 0,
    width: 100,
    height: 22,
    placeOf: (time) => time / 10,
    cuts: [],
  })
  return dots
}

it('draws each event in sight', () => {
  expect(dotsOf([100, 110, 500, 1_200].map((at) => ['work', at]))).toEqual([10, 11, 50])
})

it('draws one dot for events of one kind in one place', () => {
  const crowd = Array.from({ length: 1_000 }, (_, at) => ['taken', 100 + at / 1_000] as const)
  expect(dotsOf([...crowd, ['work', 101], ['taken', 101]])).toEqual([10, 10.1, 10.1])
})
