import { patchTree, type Tree } from '#overlay'
import type { ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { asksAboutEffects, judgesEffects, type PolicyOptions } from '../../approval/policy.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import type { FileAccess } from '../../secrets/file-access.ts'
import { effectsBetween } from '../calls/call-effects.ts'
import { previewCall } from '../calls/preview-call.ts'
import { argumentsOf } from '../calls/run-call.ts'
import type { LoopContext } from '../types/loop-context.ts'
import type { AgentServices } from '../types/services.ts'
import { openWorkspace } from './open-workspace.ts'

interface AskedOf {
  /** The branch's tree now. */
  readonly head: () => Tree
  readonly policy: () => PolicyOptions
  /** The access of a call that a person approved. */
  readonly access: () => FileAccess
}

/** What a call would do and what it did beside its own files, as far as a rule asks about effects. */
export function effectsAsked(
  services: AgentServices,
  threadId: ThreadId,
  { head, policy, access: approved }: AskedOf,
): Pick<LoopContext, 'foreseeEffects' | 'effectsOf'> {
  return {
    async foreseeEffects(call, tool, signal) {
      if (!tool.preview || !asksAboutEffects(policy())) return []
      const [tree, access] = [head(), approved()]
      const open = (blobs: BlobStore, written: readonly VirtualPath[]) =>
        openWorkspace({ ...services, blobs }, threadId, { access, tree, written, signal })
      const seen = await previewCall(services, {
        ...{ threadId, tool, callId: call.callId, args: argumentsOf(call), openWorkspace: open, signal },
      })
      return seen ? effectsBetween(services, seen.before, seen.after) : []
    },
    async effectsOf({ before, effectsBeside }, patch, always) {
      if (!always && !judgesEffects(policy())) return []
      return [...(await effectsBetween(services, before, patchTree(before, patch))), ...(await effectsBeside())]
    },
  }
}
