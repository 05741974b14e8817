import { expect } from 'vitest'
import { invert, type Patch } from '../model/patch.ts'
import type { MergeBase } from '../model/reports.ts'
import type { BaseFixture } from '../tree/in-memory-base-tree.ts'
import type { OverlayTransaction } from '../tree/overlay-transaction.ts'
import { createOverlayTree } from '../tree/overlay-tree.ts'
import { diffTrees, emptyTree, patchTree, type Tree } from '../tree/tree.ts'
import { at, openWorld, testTextMerge, text } from '../tree/tree-fixtures.testkit.ts'
import { walk } from '../tree/walk.ts'
import type { MergePlan } from './execute.ts'
import { type MergeChoice, planMerge } from './plan.ts'
import type { MergeSources } from './three-way.ts'

/** A branch of such a world. Its name is its id. */
export interface TestBranch {
  readonly id: string
  readonly parentId: string | null
}

/** `main` with branches, which are trees by name. */
export function openBranches(
  fixtures: Readonly<Record<string, BaseFixture>> = {},
  pinnedFiles?: number,
  most: number | null = null,
) {
  const world = openWorld(fixtures, pinnedFiles, most)
  const heads = new Map<string, Tree>([['main', emptyTree]])
  const forkPoints = new Map<string, Tree>()
  const rounds = new Map<string, (readonly MergeBase[])[]>()
  const head = (name: string) => heads.get(name) ?? emptyTree
  const change = (name: string, patch: Patch) => {
    heads.set(name, patchTree(head(name), patch))
  }
  const fork = (id: string, parentId = 'main'): TestBranch => {
    heads.set(id, head(parentId))
    forkPoints.set(id, head(parentId))
    return { id, parentId }
  }
  const forkPoint = (name: string) => forkPoints.get(name) ?? emptyTree
  const sourcesOf = ({ id, parentId }: TestBranch): MergeSources & { readonly earlier: object } => {
    const merged = (rounds.get(id) ?? []).map((bases) => new Map(bases))
    return {
      ...world.sources,
      fork: forkPoint(id),
      ours: head(parentId ?? ''),
      theirs: head(id),
      earlier: {
        baseOf: (path) => merged.findLast((bases) => bases.has(path))?.get(path),
        paths: merged.flatMap((bases) => [...bases.keys()]),
      },
      textMerge: testTextMerge,
    }
  }
  /** Carries out a planned merge. Returns its undoing. */
  const settle = ({ id, parentId }: TestBranch, { patch, bases }: Pick<MergePlan, 'patch' | 'bases'>) => {
    const into = parentId ?? 'main'
    change(into, patch)
    rounds.set(id, [...(rounds.get(id) ?? []), bases])
    return () => {
      change(into, invert(patch))
      rounds.set(id, rounds.get(id)?.filter((one) => one !== bases) ?? [])
    }
  }

  return {
    ...world,
    fork,
    forkPoint,
    head,
    change,
    sourcesOf,
    settle,
    async edit(name: string, work: (draft: OverlayTransaction) => Promise<unknown>) {
      const before = head(name)
      change(name, diffTrees(before, await world.change(before, work)))
    },
    async merge(branch: TestBranch, choice: Partial<MergeChoice> = {}) {
      const options = { paths: null, force: false, strategy: 'refuse', ...choice } as const
      const plan = await planMerge({ ...sourcesOf(branch), ...options })
      return { ...plan, undo: settle(branch, plan) }
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
