import { createOverlayTransaction, type Tree } from '#overlay'
import type { ThreadId } from '#shared/model/ids.ts'
import { rootThreadOf } from '#shared/model/project-state.ts'
import { isWithin, type VirtualPath } from '#shared/model/virtual-path.ts'
import { driftUnder } from '../../branches/drift.ts'
import type { FileAccess } from '../../secrets/file-access.ts'
import { createToolFiles } from '../../tools/namespace/composite-files.ts'
import type { CallWorkspace } from '../calls/call-context.ts'
import { memoryAccess } from '../prompt/memory-use.ts'
import type { AgentServices } from '../types/services.ts'

export interface WorkspaceOptions {
  /** The call's access to files that it does not name. */
  readonly access: FileAccess
  /** The branch. */
  readonly tree: Tree
  /** The files of real folders that the call may change. */
  readonly written: readonly VirtualPath[]
  readonly signal: AbortSignal
}

/** Opens the files of one call, over the branch as in `tree`. */
export function openWorkspace(
  services: AgentServices,
  threadId: ThreadId,
  { access, tree, written, signal }: WorkspaceOptions,
): CallWorkspace {
  const { base, blobs, hashing, search, scratch, routes, log } = services
  const branch = createOverlayTransaction({ base, blobs, hashing, tree, signal, now: () => services.clock.now() })
  const files = createToolFiles({
    transaction: branch,
    search,
    memory: memoryAccess(services, threadId),
    scratch,
    rootThreadId: rootThreadOf(log.state, threadId),
    blobs,
    hashing,
    routes,
    access,
    mayWriteOutside: (path) => written.some((one) => isWithin(path, one)),
  })
  return {
    before: tree,
    branch,
    access,
    files,
    drift: (path) => driftUnder({ base, hashing }, branch, path),
    effectsBeside: () => files.changesBeside(),
    commitOutside: () => files.commitOutside(),
    changedOutside: () => files.changedOutside(),
    finishOutside: () => files.finishOutside(),
    commitStores: () => files.commitStores(),
  }
}
