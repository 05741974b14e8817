import { openOutcome } from '#shared/model/call.ts'
import type { Outcome } from '#shared/model/outcome.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { emptyTree, patchTree, type Tree } from '../../overlay/tree.ts'
import type { AgentServices } from '../types/services.ts'
import { resultOf } from './hold-run.ts'
import type { CallPreview } from './preview-call.ts'

/** What keeping a held run would change: exactly what it did. */
export function previewHeld(
  { log, blobs }: Pick<AgentServices, 'log' | 'blobs'>,
  thread: ThreadState,
  held: Outcome,
): CallPreview {
  const before = groundBelow(thread, held, log.trees.heads.get(thread.branchId) ?? emptyTree)
  const { outcome, content } = resultOf({ blobs }, held)
  return {
    before,
    after: patchTree(before, held.patch),
    stores: held.places.map(({ path, blob }) => ({
      path,
      before: null,
      after: blob === null ? null : { kind: 'file', blob, size: blobs.get(blob).length, executable: false },
    })),
    routed: [],
    blobs,
    output: { ok: outcome === 'ok', content },
  }
}

/** The branch with what the held calls below this one changed. */
function groundBelow(thread: ThreadState, { after }: Outcome, head: Tree): Tree {
  const call = after === null ? undefined : thread.calls.get(after)
  const below = call ? openOutcome(call) : null
  return below === null ? head : patchTree(groundBelow(thread, below, head), below.patch)
}
