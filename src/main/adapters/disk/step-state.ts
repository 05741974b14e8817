import type { Hashing } from '#core/ports/hashing.ts'
import type { TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Original, RecordedStep } from './apply-record.ts'
import { readWhole } from './check-step.ts'
import type { DiskRoot } from './disk-root.ts'
import { inspect } from './inspect-target.ts'
import { isExecutable } from './node-at.ts'

/** `between`: the old is gone and the new is not there yet. `foreign`: someone else's content, never to be touched. */
export type StepState = 'before' | 'after' | 'same' | 'between' | 'foreign'

export async function lookAtAll(root: DiskRoot, hashing: Hashing, steps: readonly RecordedStep[]) {
  const states: { readonly step: RecordedStep; readonly state: StepState }[] = []
  for (const step of steps) states.push({ step, state: await lookAt(root, hashing, step) })
  return states
}

async function lookAt(root: DiskRoot, hashing: Hashing, { path, before, after }: RecordedStep): Promise<StepState> {
  const isBefore = await holds(root, hashing, path, before)
  const isAfter = await holds(root, hashing, path, after)
  if (isBefore) return isAfter ? 'same' : 'before'
  if (isAfter) return 'after'
  const { kind } = inspect(root, path)
  return kind === 'absent' || kind === 'blocked' ? 'between' : 'foreign'
}

async function holds(root: DiskRoot, hashing: Hashing, path: VirtualPath, node: Original | TreeNode | null) {
  const seen = inspect(root, path)
  if (node === null) return seen.kind === 'absent' || (seen.kind === 'blocked' && seen.by === 'file')
  if (node.kind === 'symlink') return seen.kind === 'symlink' && seen.target === node.target
  if (node.kind === 'directory') return seen.kind === 'directory'
  if (seen.kind !== 'file' || seen.stats.size !== node.size) return false
  const executable = 'executable' in node ? node.executable : isExecutable(node.mode)
  const bytes = await readWhole(root, path, node.size)
  return isExecutable(seen.stats.mode) === executable && bytes !== undefined && hashing.hash(bytes) === node.blob
}
