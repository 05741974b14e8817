import { describe, expect, it } from 'vitest'
import type { BranchSurvey } from '#shared/contract/views/branches.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { ThreadState, ThreadStatus } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import {
  cleanBranches,
  firstSentence,
  keepItems,
  listRows,
  mergeableBranches,
  nextToMerge,
  stepInList,
  type WorkState,
  workItems,
} from './work-list.ts'

const branch = (id: string, merged = false): Branch =>
  ({
    id,
    threadId: id,
    parentId: id === 'root' ? null : 'root',
    name: id,
    status: 'open',
    merges: merged ? [{ undone: false }] : [],
  }) as unknown as Branch
const survey = (id: string, ready: number, conflicts: readonly string[] = [], rivals: readonly string[] = []) =>
  [
    id as BranchId,
    {
      branchId: id as BranchId,
      ready,
      conflicts: conflicts as readonly VirtualPath[],
      rivals: rivals.map((rival) => ({ branchId: rival as BranchId, path: '/a' as VirtualPath })),
    } satisfies BranchSurvey,
  ] as const
const statuses: Readonly<Record<string, ThreadStatus>> = { busy: 'working', asks: 'needs_you', broke: 'failed' }
const branches = ['root', 'busy', 'good', 'one', 'two', 'clash', 'asks', 'broke', 'idle', 'proposed']
  .map((id) => branch(id))
  .concat(branch('gone', true))
const surveys = new Map([
  survey('good', 2),
  survey('one', 1, [], ['two']),
  survey('two', 1, [], ['one']),
  survey('clash', 1, ['/a']),
  survey('idle', 0),
  survey('gone', 0),
])
const itemsWith = (known: ReadonlyMap<BranchId, BranchSurvey>) =>
  workItems({
    branches,
    threads: {
      get: (id) =>
        ({
          status: statuses[id] ?? 'done',
          parent: id === 'proposed' ? { resolves: { branchId: 'clash', path: '/a' } } : null,
        }) as unknown as ThreadState,
    },
    surveys: known,
    isQueued: () => false,
  })
const items = itemsWith(surveys)
const listed = (...folded: WorkState[]) =>
  listRows(branches, items, new Set(folded)).map((row) =>
    row.kind === 'group' ? `${row.state} ${row.count}` : row.kind === 'branch' ? row.item.branch.id : 'workspace',
  )

describe('the list of branches', () => {
  it('groups branches by what they need, and tells a conflict from one that will come', () => {
    expect(listed()).toEqual(
      `workspace/conflict 1/clash/overlap 2/one/two/clean 1/good/needs_you 1/asks/proposal 1/proposed/working 1/busy/failed 1/broke/merged 1/gone/unchanged 1/idle`.split(
        '/',
      ),
    )
    expect(listed('conflict', 'merged').slice(0, 3)).toEqual(['workspace', 'conflict 1', 'overlap 2'])
  })

  it('merges at once only branches that need no decision', () => expect(cleanBranches(items)).toEqual(['good']))

  it('keeps the items about which nothing changed, also when the host answers again', () => {
    const threads = new Map(
      branches.map(({ id, threadId }) => [threadId, { status: 'done', id } as unknown as ThreadState]),
    )
    const made = (known: typeof surveys, of = branches) =>
      workItems({ branches: of, threads, surveys: known, isQueued: () => false })
    const first = made(surveys)
    const again = new Map(structuredClone([...surveys]))
    expect(keepItems(first, made(again))).toBe(first)
    const discarded = branches.map((one) => (one.id === 'good' ? { ...one, status: 'discarded' as const } : one))
    const kept = keepItems(first, made(again, discarded))
    expect(kept.filter((item, at) => item !== first[at]).map(({ branch }) => branch.id)).toEqual(['good'])
    expect(kept.find(({ branch }) => branch.id === 'good')?.state).toBe('discarded')
    const clashing = new Map([...again, survey('two', 1, [], ['idle']), survey('one', 1, ['/b'])])
    const moved = keepItems(first, made(clashing)).filter((item) => !first.includes(item))
    expect(moved.map(({ branch }) => branch.id).toSorted()).toEqual(['one', 'two'])
    expect(keepItems(first, first.slice(1))).toEqual(first.slice(1))
  })

  it('goes on with the next branch that can be merged, then with the first', () => {
    const rows = listRows(branches, items, new Set())
    expect(nextToMerge(rows, 'one' as BranchId, items)).toBe('two')
    expect(nextToMerge(rows, 'good' as BranchId, items)).toBe('clash')
    expect(nextToMerge(rows, 'gone' as BranchId, [])).toBeNull()
  })

  it('is walked by the keys of a tree', () => {
    const rows = listRows(branches, items, new Set<WorkState>(['clean']))
    expect(stepInList('ArrowDown', 0, rows)).toEqual({ kind: 'go', index: 1 })
    expect(stepInList('ArrowUp', 0, rows)).toBeNull()
    expect(stepInList('ArrowLeft', 1, rows)).toEqual({ kind: 'fold', folded: true })
    expect(stepInList('ArrowLeft', 4, rows)).toEqual({ kind: 'go', index: 3 })
    expect(stepInList('ArrowRight', 6, rows)).toEqual({ kind: 'fold', folded: false })
    expect(stepInList('End', 0, rows)).toEqual({ kind: 'go', index: rows.length - 1 })
  })

  it('says what a branch is for in one sentence', () => {
    expect(firstSentence('Round taxes to cents. Use half up.')).toBe('Round taxes to cents.')
    expect(firstSentence('Fix v1.2 of the parser\nwith tests')).toBe('Fix v1.2 of the parser')
  })
})

it('merges no chosen branch whose agent still works or waits', () => {
  const chosen = new Set(['busy', 'asks', 'good', 'clash'] as BranchId[])
  expect(mergeableBranches(itemsWith(surveys), chosen)).toEqual(['good', 'clash'])
})
