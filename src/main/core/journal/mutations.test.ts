import { describe, expect, it } from 'vitest'
import { diffTrees, emptyTree, type OverlayTransaction, type Tree } from '#overlay'
import { at, bytes, openWorld } from '#overlay/testkit'
import type { Entry } from '#shared/model/entry.ts'
import type { BranchId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import { invert, type Patch } from '#shared/model/patch.ts'
import { mutationsOf } from './mutations.ts'

const entryOf = (patch: Patch): Entry => ({
  type: 'tree.changed',
  branchId: 'branch' as BranchId,
  callId: 'call' as ToolCallId,
  threadId: 'thread' as ThreadId,
  sequence: 1,
  at: 0,
  patch,
})
const said = (patch: Patch) =>
  mutationsOf(entryOf(patch)).map(({ path, kind, from }) => (from ? `${kind} ${from} ${path}` : `${kind} ${path}`))

describe('mutations', () => {
  const world = openWorld({ '/a': 'a', '/b': 'b', '/d/x': 'x', '/run': '#!', '/old': 'o' })
  const change = async (tree: Tree, work: (draft: OverlayTransaction) => Promise<unknown>) => {
    const after = await world.change(tree, work)
    return { after, patch: diffTrees(tree, after) }
  }

  it('are the paths that an entry changed, with their kinds', async () => {
    const { patch } = await change(emptyTree, async (draft) => {
      await draft.write(at('/a'), bytes('changed'))
      await draft.delete(at('/d'))
      await draft.write(at('/new/n'), bytes('n'))
      await draft.setExecutable(at('/run'), true)
      await draft.makeSymlink(at('/b'), 'a')
      await draft.move(at('/old'), at('/moved'))
    })
    expect(said(patch)).toEqual([
      'modify /a',
      'symlink /b',
      'delete /d',
      'delete /d/x',
      'rename /old /moved',
      'create /new',
      'create /new/n',
      'mode /run',
    ])
    expect(said(invert(patch))).toEqual([
      'modify /a',
      'modify /b',
      'create /d',
      'create /d/x',
      'delete /new',
      'delete /new/n',
      'rename /moved /old',
      'mode /run',
    ])
  })

  it('are computed entry by entry: a file moved twice is renamed from its previous place', async () => {
    const first = await change(emptyTree, (draft) => draft.move(at('/old'), at('/once')))
    const second = await change(first.after, (draft) => draft.move(at('/once'), at('/twice')))
    const third = await change(second.after, (draft) => draft.write(at('/twice'), bytes('edited')))
    expect([said(first.patch), said(second.patch), said(third.patch)]).toEqual([
      ['rename /old /once'],
      ['rename /once /twice'],
      ['modify /twice'],
    ])
  })

  it('are empty for an entry about something else', () => {
    expect(mutationsOf({ type: 'run.started', threadId: 'thread' as ThreadId, sequence: 1, at: 0 })).toEqual([])
  })
})
