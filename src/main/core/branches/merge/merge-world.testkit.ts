import { expect } from 'vitest'
import type { Branch } from '#shared/model/branch.ts'
import type { EntryBody } from '#shared/model/entry.ts'
import type { BranchId, Handle, ThreadId } from '#shared/model/ids.ts'
import { invert, type Patch } from '#shared/model/patch.ts'
import type { BaseFixture } from '../../overlay/in-memory-base-tree.ts'
import type { OverlayTransaction } from '../../overlay/overlay-transaction.ts'
import { createOverlayTree } from '../../overlay/overlay-tree.ts'
import { diffTrees, emptyTree } from '../../overlay/tree.ts'
import { at, openWorld, testTextMerge, text } from '../../overlay/tree-fixtures.testkit.ts'
import { walk } from '../../overlay/walk.ts'
import { emptyBranchTrees, foldTrees } from '../branch-trees.ts'
import type { MergeChoice } from './plan.ts'
import { planMerge } from './plan.ts'
import type { MergeSources } from './three-way.ts'

const threadId = 'thread' as ThreadId

/** A workspace with branches, driven through journal entries as in the app. */
export function openBranches(
  fixtures: Readonly<Record<string, BaseFixture>> = {},
  pinnedFiles?: number,
  most: number | null = null,
) {
  const world = openWorld(fixtures, pinnedFiles, most)
  let trees = emptyBranchTrees
  let sequence = 0
  const append = (body: EntryBody): number => {
    sequence += 1
    trees = foldTrees(trees, { ...body, threadId, sequence, at: 0 })
    return sequence
  }
  const fork = (name: string, parentId: string | null = 'main'): Branch => {
    const [branchId, parent] = [name as BranchId, parentId as BranchId | null]
    const forkedAt = append({
      type: 'branch.forked',
      branchId,
      parentId: parent,
      ownerThreadId: threadId,
      handle: name as Handle,
      name,
    })
    return {
      id: branchId,
      threadId,
      parentId: parent,
      handle: name as Handle,
      name,
      forkedAt,
      status: 'open',
      merges: [],
    }
  }
  const main = fork('main', null)
  const head = (name: string) => trees.heads.get(name as BranchId) ?? emptyTree
  const change = (branchId: string, patch: Patch) =>
    append({ type: 'tree.changed', branchId: branchId as BranchId, patch, callId: null })

  return {
    ...world,
    append,
    main,
    fork,
    head,
    change,
    get trees() {
      return trees
    },
    sourcesOf: (branch: Branch): MergeSources => ({ ...world.sources, trees, branch, textMerge: testTextMerge }),
    async edit(name: string, work: (draft: OverlayTransaction) => Promise<unknown>) {
      const before = head(name)
      change(name, diffTrees(before, await world.change(before, work)))
    },
    async merge(branch: Branch, choice: Partial<MergeChoice> = {}) {
      const options = { paths: null, force: false, strategy: 'refuse', ...choice } as const
      const plan = await planMerge({ ...world.sources, trees, branch, textMerge: testTextMerge, ...options })
      const into = branch.parentId ?? ('main' as BranchId)
      const merged = append({
        type: 'branch.merged',
        branchId: branch.id,
        into,
        ...plan,
        forced: options.force,
        by: 'agent',
      })
      const undo = () =>
        append({ type: 'merge.undone', branchId: branch.id, into, of: merged, patch: invert(plan.patch) })
      return { ...plan, undo }
    },
    /** Every path of a branch's files with its content. */
    async files(name: string): Promise<Record<string, string>> {
      const files = createOverlayTree({ ...world.sources, tree: head(name) })
      const { entries } = await walk(files, at('/'))
      const shown = await Promise.all(
        entries.map(async ({ path, node }) => {
          if (node.kind === 'directory') return [`${path}/`, ''] as const
          if (node.kind === 'symlink') return [path, `-> ${node.target}`] as const
          if (node.kind !== 'file') throw new Error(`${path} is special.`)
          const content = text(await files.read(path, { offset: 0, length: node.size }))
          return [path, `${node.executable ? '* ' : ''}${content}`] as const
        }),
      )
      return Object.fromEntries(shown.sort(([a], [b]) => (a < b ? -1 : 1)))
    },
    async expectFiles(name: string, expected: Record<string, string>) {
      const leaves = Object.entries(await this.files(name)).filter(([path]) => !path.endsWith('/'))
      expect(Object.fromEntries(leaves)).toEqual(expected)
    },
  }
}
export type Branches = ReturnType<typeof openBranches>
