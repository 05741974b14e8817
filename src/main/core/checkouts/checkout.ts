import {
  createGitRules,
  createOverlayTree,
  isWithin,
  nameOf,
  noGit,
  type Patch,
  type Tree,
  type VirtualPath,
} from '#overlay'
import type { TakenBack } from '#shared/model/branch.ts'
import { BaseTreeError } from '../ports/base-tree.ts'
import type { CheckoutFolder, CheckoutLook } from '../ports/stores/checkout-folder.ts'
import { type BranchFiles, contentAt, listBranch } from './branch-files.ts'
import { createRefresh } from './refresh.ts'
import { type CheckoutChoice, planTakeBack, type TakeBackSources } from './take-back.ts'

export interface CheckoutOptions {
  readonly sources: TakeBackSources
  readonly folder: CheckoutFolder
  /** The branch as it is now. Throws when there is no such branch any more. */
  readonly head: () => Tree
  /** Folders of the branch that are not in it: nothing of them is written or taken back. Absent for none. */
  readonly without?: readonly VirtualPath[]
  /** Makes the patch a change of the branch by its person. False when the branch has moved on since `head`. */
  readonly commit: (patch: Patch) => boolean
}

export interface TakeBackOptions {
  /** Paths at which something may have changed. Null or absent for everything. */
  readonly hints?: ReadonlySet<VirtualPath> | null
  readonly choices?: readonly CheckoutChoice[]
  readonly isWhole?: boolean
}

/**
 * A branch and a folder that stands for it. `fill` makes the folder, `takeBack` brings a person's changes of the folder to the
 * branch, and `refresh` brings what others changed on the branch to the folder.
 */
export type LiveCheckout = ReturnType<typeof createCheckout>

export function createCheckout({ sources, folder, head, commit, without = [] }: CheckoutOptions) {
  const isElsewhere = (path: VirtualPath) => without.some((root) => isWithin(path, root))
  async function isLeftOut() {
    const git = (await sources.base.ignores?.()) ?? noGit
    const rules = createGitRules((path) => folder.readRules(path as VirtualPath), git)
    return (path: VirtualPath, isDirectory: boolean) =>
      isElsewhere(path) || isOfEditor(path) || rules.isLeftOut(path, isDirectory)
  }

  /** `isWhole` takes nothing while something is in conflict. */
  async function takeBack({ hints = null, choices = [], isWhole = false }: TakeBackOptions = {}): Promise<TakenBack> {
    const { changes, uncarried } = await folder.look(await isLeftOut(), hints)
    for (;;) {
      const tree = head()
      const { patch, taken, refused, ...told } = await planTakeBack(sources, tree, changes, choices)
      if (isWhole && told.conflicts.length > 0) return { ...told, ...toldOf([], refused, uncarried) }
      if (head() !== tree || (patch.length > 0 && !commit(patch))) continue
      for (const change of taken) folder.agree(change)
      folder.save()
      return { ...told, ...toldOf(patch, refused, uncarried) }
    }
  }

  const refreshing = createRefresh(sources, folder, isElsewhere)
  const turn = inTurn()
  return {
    begin: refreshing.begin,
    takeBack: (chosen?: TakeBackOptions) => turn(() => takeBack(chosen)),
    refresh: () => turn(() => refreshing.refresh(head())),
    /** Folders that the folder may have and the branch does not: a watcher need not look into them. */
    async leavesOut(): Promise<(path: VirtualPath) => boolean> {
      const leftOut = await isLeftOut()
      return (path) => !folder.holds(path) && folder.nodeAt(path) === null && leftOut(path, true)
    },
    /** Writes everything into a new folder. Resolves to what the folder cannot get. */
    async fill(tree: Tree, signal: AbortSignal): Promise<BranchFiles['leftOut']> {
      const files = createOverlayTree({ ...sources, tree })
      const { nodes, leftOut } = await listBranch(sources, tree, signal)
      const closed: BranchFiles['leftOut'][number][] = []
      for (const [path, node] of nodes) {
        signal.throwIfAborted()
        if (isElsewhere(path)) continue
        try {
          folder.put(path, await contentAt(files, path, node))
        } catch (error) {
          if (!(error instanceof BaseTreeError)) throw error
          closed.push({ path, why: 'closed to you' })
        }
      }
      folder.save()
      const elsewhere = without.map((path) => ({ path, why: 'another folder of the project' }))
      return [...leftOut.filter(({ path }) => !isElsewhere(path)), ...closed, ...elsewhere]
    },
  }
}

/**
 * What editors and systems put beside the files for themselves: swap and lock files, backups, states of windows. Such a new file
 * is nobody's change.
 */
function isOfEditor(path: VirtualPath): boolean {
  return ofEditors.test(nameOf(path)) || /\/\.(?:idea|vs|fleet)(?:\/|$)/.test(path)
}

const ofEditors = /^(?:\..*\.sw[a-p]|.*~|4913|#.*#|\.#.*|\..*\.kate-swp|\.DS_Store|Thumbs\.db|.*___jb_(?:tmp|old)___)$/

function toldOf(
  patch: Patch,
  refused: TakenBack['refused'],
  uncarried: CheckoutLook['uncarried'],
): Pick<TakenBack, 'changed' | 'refused'> {
  const left = uncarried.map(({ path, why }) => ({ path, why: `It is ${why}.` }))
  return { changed: patch.map(([path]) => path), refused: [...refused, ...left] }
}

/** Calls run one after the other, whatever became of the one before. */
function inTurn(): <Result>(act: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (act) => {
    const next = last.then(act, act)
    last = next.catch(() => undefined)
    return next
  }
}
