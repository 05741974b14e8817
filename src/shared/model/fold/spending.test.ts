import { describe, expect, it } from 'vitest'
import type { Entry, EntryBody } from '../entry.ts'
import { parentOf, threadCreated } from '../entry-bodies.testkit.ts'
import type { BranchId, ThreadId } from '../ids.ts'
import { noUsage } from '../models/usage.ts'
import { emptyProject } from '../project-state.ts'
import { fold } from './project.ts'

const root = 'root' as ThreadId
const [early, late] = ['early' as ThreadId, 'late' as ThreadId]

function created(threadId: ThreadId): EntryBody {
  const parent = threadId === root ? null : parentOf(root, `of_${threadId}`)
  return threadCreated(`branch of ${threadId}` as BranchId, { parent, depth: parent ? 1 : 0 })
}
const spent = (cost: number): EntryBody => ({
  type: 'usage',
  model: 'demo',
  usage: { ...noUsage, modelCalls: 1, cost },
})

const story: readonly (readonly [ThreadId, EntryBody])[] = [
  [root, created(root)],
  [root, { type: 'run.started', costLimit: null }],
  [root, spent(1)],
  [early, created(early)],
  [early, { type: 'run.started', costLimit: null }],
  [early, spent(2)],
  [root, { type: 'checkpoint', step: 1, treeHash: '' }],
  [root, { type: 'run.ended', status: 'done', reason: 'completed', message: '' }],
  [root, { type: 'run.started', costLimit: null }],
  [early, spent(4)],
  [late, created(late)],
  [late, spent(8)],
  [root, spent(16)],
]

function costsAfter(entries: number, ...more: readonly EntryBody[]) {
  const all = [...story.slice(0, entries), ...more.map((body) => [root, body] as const)]
  const state = all
    .map(([threadId, body], index) => ({ ...body, threadId, sequence: index + 1, at: index + 1 }) as Entry)
    .reduce(fold, emptyProject)
  const { ever, run } = state.spending.get(root) ?? {}
  return { ever: ever?.cost, run: run?.cost, calls: ever?.modelCalls }
}

describe('what a family spends', () => {
  it("is summed up for all time, and since the root's run began for every agent that started since", () => {
    expect(costsAfter(6)).toEqual({ ever: 3, run: 3, calls: 2 })
    expect(costsAfter(9)).toEqual({ ever: 3, run: 0, calls: 2 })
    expect(costsAfter(13)).toEqual({ ever: 31, run: 24, calls: 5 })
  })

  it('is not reduced by a rewind', () => {
    const rewound: EntryBody = { type: 'rewound', to: 7, files: [], conversation: true, undoes: null }
    expect(costsAfter(13, rewound)).toEqual(costsAfter(13))
  })
})
