import { failure } from '#shared/base/result.ts'
import { resultOf } from '#shared/model/calls/call.ts'
import { endedRounds } from '#shared/model/derived/awaited.ts'
import { batchTool } from '#shared/model/derived/batch.ts'
import { textOf } from '#shared/model/message.ts'
import { environmentOf } from '../../branches/branch-trees.ts'
import { listFailed } from '../../checks/failed-checks.ts'
import * as guidance from '../../prompts/guidance.ts'
import { createAttemptsTool } from '../../tools/delegate/attempts.ts'
import { createBackgroundTools } from '../../tools/delegate/background-tools.ts'
import { createBatchTaskTool } from '../../tools/delegate/batch-task.ts'
import { createDiscardSubagentTool, createMergeSubagentTool } from '../../tools/delegate/branch-tools.ts'
import { createSpawnSubagentsTool, createTaskTool } from '../../tools/delegate/subagent-tools.ts'
import { createProcessTools } from '../../tools/processes/process-tools.ts'
import type { EndedRounds } from '../../tools/run/awaiting.ts'
import { createOpenCodeTrial, createOpenCommandTrial } from '../../tools/run/call-trials.ts'
import { createExecuteTool } from '../../tools/run/execute.ts'
import { type AgentChecks, createRunChecksTool } from '../../tools/run/run-checks.ts'
import { createRunJsCodeTool, createRunJsFileTool } from '../../tools/run/run-js.ts'
import { createRunPythonCodeTool, createRunPythonFileTool } from '../../tools/run/run-python.ts'
import { anyTool } from '../../tools/tool.ts'
import type { Section, SectionInput } from './section.ts'

/** What runs on the branch: commands and code. */
export function commands(input: SectionInput): Section {
  const { services, thread } = input
  const limits = () => services.settings().runner
  const declares =
    mayDelegate(input) &&
    (input.definition.tools?.includes(batchTool) ?? !input.definition.withoutTools?.includes(batchTool))
  const { shell, blobs, routes } = services
  const openTrial = createOpenCommandTrial(services, thread.branchId, {
    isConfined: () => shell.sandbox().state !== 'off',
    environment: () => environmentOf(services.log.trees, thread.branchId),
    prepare: (own, signal) => services.setup.prepare({ threadId: thread.id, branchId: thread.branchId }, own, signal),
  })
  const states = { current: () => services.log.state.threads.get(thread.id)?.python ?? null, blobs }
  const wasTold = (text: string) =>
    [...(services.log.state.threads.get(thread.id)?.calls.values() ?? [])].some((call) =>
      textOf(resultOf(call)?.content ?? []).includes(text),
    )
  const rounds: EndedRounds = (callId) => endedRounds(services.log.state.threads.get(thread.id) ?? thread, callId)
  const python = {
    rounds: declares ? rounds : null,
    runner: services.runner,
    openTrial: createOpenCodeTrial(services, thread.branchId),
    limits,
    states,
    routes,
    wasTold,
  }
  const javascript = { runner: services.runner, limits, states, declares, rounds }
  return {
    tools: [
      anyTool(createExecuteTool({ shell, openTrial, declares, routes, processes: input.processes, wasTold })),
      ...createProcessTools(input.processes),
      anyTool(createRunJsCodeTool(javascript)),
      anyTool(createRunJsFileTool(javascript)),
      anyTool(createRunPythonCodeTool(python)),
      anyTool(createRunPythonFileTool(python)),
    ],
  }
}

/** What the project checks itself by; nothing when it has no checks. */
export function checks(input: SectionInput): Section {
  const { isSet } = checksOf(input)
  return isSet ? { guidance: guidance.checks, tools: [anyTool(createRunChecksTool(checksOf(input)))] } : {}
}

/** The project's checks on trees of the agent's branch. */
function checksOf({ services: { checks: project }, thread: { branchId } }: SectionInput) {
  const agentChecks: AgentChecks = {
    run: (request, signal) =>
      project.definitions().length === 0
        ? Promise.resolve(failure('This project has no checks.'))
        : project.run({ ...request, branchId, environmentOf: branchId, again: false, by: 'agent' }, signal),
    listFailed: (results) => listFailed(project.definitions(), results),
  }
  return { ...agentChecks, isSet: project.definitions().length > 0 }
}

function mayDelegate({ services, thread }: SectionInput): boolean {
  return thread.depth < services.settings().maxSubagentDepth
}

/** Who works on forks of the branch; nothing for an agent that may start no others. */
export function subagents(input: SectionInput): Section {
  if (!mayDelegate(input)) return {}
  const { subagents: family, batches, merges, todos: list } = input
  return {
    guidance: guidance.delegation,
    tools: [
      anyTool(createTaskTool(family, merges, list)),
      anyTool(createSpawnSubagentsTool(family, list)),
      anyTool(createBatchTaskTool(family.types, batches)),
      anyTool(createAttemptsTool(batches)),
      ...createBackgroundTools(family),
      anyTool(createMergeSubagentTool(merges, checksOf(input))),
      anyTool(createDiscardSubagentTool(merges)),
    ],
  }
}
