import type { ThreadState } from '#shared/model/thread.ts'
import { rootPath } from '#shared/model/virtual-path.ts'
import { emptyTree, entriesWithin } from '../overlay/tree.ts'
import { definitionOf } from './agent-definition.ts'
import type { PlannedTask } from './fork-subagents.ts'
import { stateSummary } from './inherited.ts'
import type { AgentServices } from './services.ts'
import type { SubagentTask } from './subagents.ts'

/**
 * A task with what its subagent sees and runs on. Its scope: that of its parent's family once one is active, else the definition's, else
 * the settings'.
 */
export function plannedTask(services: AgentServices, parent: ThreadState, task: SubagentTask): PlannedTask {
  const { quarantine, quarantineInherited } = services.settings()
  const definition = definitionOf(services.extensions.current(), task.subagentType)
  const inherited = parent.parent && quarantineInherited ? parent.contextScope : null
  const scope = inherited ?? definition.contextScope ?? quarantine
  const summarised = definition.includeStateSummary ?? scope === 'scoped'
  return {
    ...task,
    scope,
    summary: summarised ? stateSummary(parent, changedFiles(services, parent)) : null,
    model: definition.model ?? parent.model,
  }
}

/** What the branch has that differs from the base: no folders, and nothing that is gone. */
function changedFiles({ log }: AgentServices, { branchId }: ThreadState): readonly string[] {
  const head = log.trees.heads.get(branchId) ?? emptyTree
  return [...entriesWithin(head, rootPath)].flatMap(([path, { node }]) =>
    node === null || node.kind === 'directory' ? [] : [path],
  )
}
