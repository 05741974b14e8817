import { expect, it } from 'vitest'
import { agentLoad } from './agent-load.ts'

it('counts what the agents did at each moment', () => {
  const load = agentLoad(
    [
      [
        { at: 0, kind: 'queued' },
        { at: 10, kind: 'working' },
        { at: 30, kind: 'waiting' },
      ],
      [
        { at: 20, kind: 'working' },
        { at: 30, kind: 'idle' },
      ],
      [],
    ],
    40,
    4,
  )
  expect(load).toEqual([
    { at: 5, working: 0, waiting: 0, queued: 1 },
    { at: 15, working: 1, waiting: 0, queued: 0 },
    { at: 25, working: 2, waiting: 0, queued: 0 },
    { at: 35, working: 0, waiting: 1, queued: 0 },
  ])
  expect(agentLoad([[]], 40, 4)).toEqual([])
})
