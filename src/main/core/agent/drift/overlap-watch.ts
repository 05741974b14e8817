import { nodeText } from '#overlay'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { childrenOf } from '#shared/model/project-state.ts'
import type { TreeNode } from '#shared/model/tree-node.ts'
import { branchSides } from '../../branches/branch-sides.ts'
import { type BranchGroup, createOverlaps, type Overlap } from '../../branches/overlaps.ts'
import type { AgentServices } from '../types/services.ts'

/** An overlap with the words that an agent needs for it. */
export interface BranchOverlap extends Pick<Overlap, 'branchId' | 'path'> {
  /** The agent of the other branch, with its handle; that of a parent has none. */
  readonly agent: string
  /** Who stands where: the parent of the agent, one of its subagents, or one beside it. */
  readonly kin: 'parent' | 'subagent' | 'beside'
  /** What each side did with the file. */
  readonly did: 'both changed' | 'own gone' | 'other gone'
  /** The lines of the agent's own version about which it is, such as `3–7`. Found when asked for; empty for none. */
  findLines(): Promise<string>
}

/** Looks for overlaps of the branches of a project. */
export interface OverlapWatch {
  of(threadId: ThreadId): Promise<readonly BranchOverlap[]>
}

export function createOverlapWatch(services: AgentServices): OverlapWatch {
  const { log } = services
  const overlaps = createOverlaps({ ...services, sidesOf: (branch) => branchSides(log.trees, branch) })

  /** A branch with the open branches of its agent's subagents. Undefined for one without any. */
  function groupOf(branchId: BranchId | null): BranchGroup | undefined {
    const parent = branchId === null ? undefined : log.state.branches.get(branchId)
    if (!parent) return undefined
    const children = childrenOf(log.state, parent.threadId).flatMap((child) => {
      const branch = log.state.branches.get(child.branchId)
      return branch?.status === 'open' && branch.parentId === parent.id ? [branch] : []
    })
    return children.length === 0 ? undefined : { parent, children }
  }

  function wordsOf(overlap: Overlap, kin: BranchOverlap['kin']): BranchOverlap {
    const { branchId, path, own, other } = overlap
    const branch = log.state.branches.get(branchId)
    const agent = (branch && log.state.threads.get(branch.threadId)?.agent) ?? ''
    return {
      ...{ branchId, path, kin },
      agent: [agent, branch?.handle].filter(Boolean).join(' · '),
      did: own === null ? 'own gone' : other === null ? 'other gone' : 'both changed',
      findLines: () => linesOf(services, overlap),
    }
  }

  return {
    async of(threadId) {
      const branchId = log.state.threads.get(threadId)?.branchId
      const branch = branchId === undefined ? undefined : log.state.branches.get(branchId)
      if (!branch) return []
      const [above, below] = [groupOf(branch.parentId), groupOf(branch.id)]
      const asChild = above ? await overlaps.of(branch.id, above) : []
      const asParent = below ? await overlaps.of(branch.id, below) : []
      return [
        ...asChild.map((one) => wordsOf(one, one.branchId === branch.parentId ? 'parent' : 'beside')),
        ...asParent.map((one) => wordsOf(one, 'subagent')),
      ]
    },
  }
}

/** The agent's own lines where both sides changed the same of what both began with. */
async function linesOf({ blobs, textMerge }: AgentServices, { own, other, base }: Overlap): Promise<string> {
  const [mine, its, old] = [own, other, base].map((node) => textOf(blobs, node))
  if (mine === undefined || its === undefined || old === undefined) return ''
  const [changed, elsewhere] = [await textMerge.hunks(old, mine, 0), await textMerge.hunks(old, its, 0)]
  const touches = (one: Span, two: Span) =>
    one.oldStart <= two.oldStart + two.oldLines && two.oldStart <= one.oldStart + one.oldLines
  const spans = changed.hunks.filter((hunk) => elsewhere.hunks.some((there) => touches(hunk, there)))
  return spans.slice(0, mostSpans).map(spanText).join(', ')
}

interface Span {
  readonly oldStart: number
  readonly oldLines: number
}

const mostSpans = 5

function spanText({ newStart, newLines }: { readonly newStart: number; readonly newLines: number }): string {
  return newLines <= 1 ? `${newStart}` : `${newStart}–${newStart + newLines - 1}`
}

function textOf(blobs: AgentServices['blobs'], node: TreeNode | null): string | undefined {
  return node?.kind === 'file' ? nodeText(blobs, node) : undefined
}
