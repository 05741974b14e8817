import { planMerge } from '../../../packages/overlay/src/index.ts'
import { type AgentRuntime, createAgentRuntime } from '../../../src/main/core/agent/runtime/runtime.ts'
import type { AgentServices, ProjectServices } from '../../../src/main/core/agent/types/services.ts'
import { createBranchMerges } from '../../../src/main/core/branches/branch-merges.ts'
import { branchSides, planDiscard } from '../../../src/main/core/branches/branch-sides.ts'
import { agentServicesOf } from '../../../src/main/core/journal/project-log.testkit.ts'
import type { ModelClient } from '../../../src/main/core/ports/model-client.ts'

/** Runs the agents of a project with a model in memory. */
export function scriptedRuntime(services: ProjectServices, client: ModelClient): AgentRuntime {
  const scripted = { ...agentServicesOf({ services }), modelFor: () => client }
  return createAgentRuntime(scripted, mergesOf(scripted))
}

function mergesOf(services: AgentServices) {
  return createBranchMerges({
    state: () => services.log.state,
    trees: () => services.log.trees,
    now: () => services.clock.now(),
    planMerge: (trees, branch, chosen) => planMerge({ ...branchSides(trees, branch), ...chosen, ...services }),
    planDiscard,
  })
}
