import { appHandlers } from '../app/app-handlers.ts'
import type { HostParts } from '../app/host-parts.ts'
import { contractImplementer } from '../app/implementer.ts'
import { windowHandlers } from '../app/window-handlers.ts'
import { branchAreas } from '../branches/branch-areas.ts'
import { changeHandlers } from '../changes/change-handlers.ts'
import { fileHandlers } from '../changes/file-handlers.ts'
import { checkoutHandlers } from '../checkouts/checkout-handlers.ts'
import { checkHandlers } from '../checks/check-handlers.ts'
import { deliveryHandlers } from '../delivery/delivery-handlers.ts'
import { eventHandlers } from '../events/event-handlers.ts'
import { extensionHandlers, hookHandlers } from '../extensions/extension-handlers.ts'
import { importHandlers } from '../imports/import-handlers.ts'
import { mcpHandlers } from '../mcp/mcp-handlers.ts'
import { memoryHandlers } from '../memory/memory-handlers.ts'
import { userMemoryHandlers } from '../memory/user-memory-handlers.ts'
import { modelHandlers } from '../models/model-handlers.ts'
import { projectHandlers } from '../project/project-handlers.ts'
import { settingsHandlers } from '../settings/settings-handlers.ts'
import { setupHandlers } from '../setup/setup-handlers.ts'
import { storageHandlers } from '../storage/storage-handlers.ts'
import { processHandlers } from '../terminals/process-handlers.ts'
import { terminalHandlers } from '../terminals/terminal-handlers.ts'
import { approvalHandlers } from '../threads/approval-handlers.ts'
import { batchHandlers } from '../threads/batch-handlers.ts'
import { rewindHandlers } from '../threads/rewind-handlers.ts'
import { threadHandlers } from '../threads/thread-handlers.ts'
import { threadListHandlers } from '../threads/thread-list-handlers.ts'
import { updateHandlers } from '../updates/update-handlers.ts'
import { usageHandlers } from '../usage/usage-handlers.ts'

/** The contract of the wire, each area by its handlers. */
export function createRouter(parts: HostParts) {
  const os = contractImplementer(parts.options.log, parts.projects)
  return os.router({
    app: appHandlers(os, parts),
    models: modelHandlers(os, parts),
    projects: projectHandlers(os, parts),
    events: eventHandlers(os, parts),
    threads: { ...threadHandlers(os, parts), ...threadListHandlers(os, parts) },
    memory: memoryHandlers(os, parts),
    userMemory: userMemoryHandlers(os, parts),
    extensions: extensionHandlers(os, parts),
    hooks: hookHandlers(os, parts),
    imports: importHandlers(os, parts),
    mcp: mcpHandlers(os, parts),
    approvals: approvalHandlers(os, parts),
    batches: batchHandlers(os, parts),
    ...branchAreas(os, parts),
    checkouts: checkoutHandlers(os, parts),
    checks: checkHandlers(os, parts),
    changes: changeHandlers(os, parts),
    deliveries: deliveryHandlers(os, parts),
    files: fileHandlers(os, parts),
    rewind: rewindHandlers(os, parts),
    settings: settingsHandlers(os, parts),
    setup: setupHandlers(os, parts),
    storage: storageHandlers(os, parts),
    processes: processHandlers(os, parts),
    terminal: terminalHandlers(os, parts),
    usage: usageHandlers(os, parts),
    updates: updateHandlers(os, parts),
    window: windowHandlers(os),
  })
}
