import { emptyTree } from '#overlay'
import type { JsonObject } from '#shared/base/json.ts'
import { type Call, openOutcome } from '#shared/model/calls/call.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { fileAccess } from '../../approval/file-policy.ts'
import { type CallPreview, previewCall, previewOutcome } from '../calls/preview-call.ts'
import { resolveCapabilities } from '../prompt/capabilities.ts'
import type { AgentServices } from '../types/services.ts'
import { policyOf } from './agent-policy.ts'
import { openWorkspace } from './open-workspace.ts'
export interface WaitingCall {
  readonly thread: ThreadState
  readonly call: Call
  /** A person's edit of its arguments; undefined for its own. */
  readonly args: JsonObject | undefined
  readonly signal: AbortSignal
  /** What the agent's tools are made of. */
  readonly helpers: Parameters<typeof resolveCapabilities>[2]
}

/**
 * What a waiting call would do if it ran now. What it did already, when it was tried with these arguments. Undefined when
 * that cannot be known without running it for real.
 */
export async function previewWaiting(
  services: AgentServices,
  { thread, call, args, signal, helpers }: WaitingCall,
): Promise<CallPreview | undefined> {
  const { tools, definition } = resolveCapabilities(services, thread, helpers)
  const tool = tools.find(({ name }) => name === call.name)
  if (!tool) return undefined
  const tree = services.log.trees.heads.get(thread.branchId) ?? emptyTree
  const outcome = openOutcome(call)
  if (outcome !== null && (args === undefined || JSON.stringify(args) === JSON.stringify(outcome.input)))
    return previewOutcome(services, thread, outcome)
  const access = fileAccess(policyOf(services, definition), true)
  return previewCall(services, {
    threadId: thread.id,
    callId: call.callId,
    tool,
    args: args ?? call.input,
    signal,
    openWorkspace: (blobs, written) =>
      openWorkspace({ ...services, blobs }, thread.id, { access, tree, written, signal }),
  })
}
