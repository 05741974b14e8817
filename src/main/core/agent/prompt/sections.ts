import { batchTool } from '#shared/model/batch.ts'
import { knowsMemory } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { BranchMerges } from '../../branches/branch-merges.ts'
import { instructionsText, memoryIndex, skillsIndex } from '../../prompts/appendices.ts'
import * as guidance from '../../prompts/guidance.ts'
import { askUserTool } from '../../tools/ask-user.ts'
import { createBatchTaskTool } from '../../tools/delegate/batch-task.ts'
import { createDiscardSubagentTool, createMergeSubagentTool } from '../../tools/delegate/branch-tools.ts'
import type { Batches, Subagents } from '../../tools/delegate/delegation.ts'
import { createSpawnSubagentsTool, createTaskTool } from '../../tools/delegate/subagent-tools.ts'
import { fileTools } from '../../tools/files/file-tools.ts'
import { createOpenCodeView, createViewBranch } from '../../tools/run/branch-view.ts'
import { createExecuteTool } from '../../tools/run/execute.ts'
import { createRunJsCodeTool, createRunJsFileTool } from '../../tools/run/run-js.ts'
import { createRunPythonCodeTool, createRunPythonFileTool } from '../../tools/run/run-python.ts'
import type { TodoList } from '../../tools/todos.ts'
import { createReadTodosTool, createUpdateTodoStatusTool, createWriteTodosTool } from '../../tools/todos.ts'
import { anyTool, type Tool } from '../../tools/tool.ts'
import type { AgentDefinition } from '../types/agent-definition.ts'
import type { Extensions } from '../types/extensions.ts'
import type { AgentServices } from '../types/services.ts'

/** Of what a stage makes its part. */
export interface SectionInput {
  readonly services: AgentServices
  readonly thread: ThreadState
  readonly definition: AgentDefinition
  readonly extensions: Extensions
  readonly subagents: Subagents
  readonly batches: Batches
  readonly merges: BranchMerges
  readonly todos: TodoList
}

export type PromptPart = 'guidance' | 'instructions' | 'skills' | 'memory'

/** What one stage adds to an agent. Guidance comes before every appendix; it is left out when none of its tools is offered. */
export interface Stage {
  readonly guidance?: string
  readonly appendix?: { readonly part: PromptPart; readonly text: string }
  readonly tools?: readonly Tool[]
}

/**
 * What an agent is told and what it may call, in this order; the same list makes the system prompt and the tools. A stage is added
 * by a line here.
 */
export const stages: readonly ((input: SectionInput) => Stage)[] = [
  role,
  instructions,
  memory,
  skills,
  todos,
  filesystem,
  commands,
  subagents,
  servers,
  person,
  ending,
]

function role({ services, thread, definition }: SectionInput): Stage {
  const own = definition.prompt ?? services.settings().systemPrompt ?? guidance.role
  return { guidance: thread.parent === null ? own : `${own}\n\n${guidance.subagent}` }
}

function instructions({ extensions }: SectionInput): Stage {
  const text = instructionsText(extensions.instructions)
  return text === '' ? {} : { appendix: { part: 'instructions', text } }
}

/** A subagent is told nothing its parent knows but its task; it may look into the memories itself. */
function memory({ services, thread }: SectionInput): Stage {
  const { log, prefixes } = services
  if (!knowsMemory(log.state, thread.id)) return {}
  const place = prefixes['/memories/']
  const files = [...log.state.memories.values()].filter((memory) => memory.text !== null)
  const text = memoryIndex(place, thread.parent === null ? files : [])
  return { guidance: guidance.memory(place), ...(text !== '' && { appendix: { part: 'memory', text } }) }
}

function skills({ extensions }: SectionInput): Stage {
  const text = skillsIndex(extensions.skills)
  return text === '' ? {} : { appendix: { part: 'skills', text } }
}

function todos({ thread, todos: list }: SectionInput): Stage {
  const own = thread.parent === null ? [anyTool(createWriteTodosTool(list))] : []
  const shared = [anyTool(createReadTodosTool(list)), anyTool(createUpdateTodoStatusTool(list))]
  return { guidance: guidance.planning, tools: [...own, ...shared] }
}

function filesystem({ services: { log, prefixes }, thread }: SectionInput): Stage {
  const { '/memories/': memories, ...others } = prefixes
  const places = knowsMemory(log.state, thread.id) ? [memories, ...Object.values(others)] : Object.values(others)
  return {
    guidance: guidance.files(places, prefixes['/large_tool_results/']),
    tools: fileTools,
  }
}

function commands(input: SectionInput): Stage {
  const { services, thread } = input
  const limits = () => services.settings().runner
  const declares = mayDelegate(input) && (input.definition.tools?.includes(batchTool) ?? true)
  const viewBranch = createViewBranch(services.views, services.blobs, thread.branchId)
  const openCodeView = createOpenCodeView(services.views, services.blobs, thread.branchId)
  const python = { runner: services.runner, openCodeView, limits }
  return {
    tools: [
      anyTool(createExecuteTool(services.shell, viewBranch, declares)),
      anyTool(createRunJsCodeTool(services.runner, limits, declares)),
      anyTool(createRunJsFileTool(services.runner, limits, declares)),
      anyTool(createRunPythonCodeTool(python)),
      anyTool(createRunPythonFileTool(python)),
    ],
  }
}

function mayDelegate({ services, thread }: SectionInput): boolean {
  return thread.depth < services.settings().maxSubagentDepth
}

function subagents(input: SectionInput): Stage {
  if (!mayDelegate(input)) return {}
  const { subagents: family, batches, merges, todos: list } = input
  return {
    guidance: guidance.delegation,
    tools: [
      anyTool(createTaskTool(family, merges, list)),
      anyTool(createSpawnSubagentsTool(family, list)),
      anyTool(createBatchTaskTool(family.types, batches)),
      anyTool(createMergeSubagentTool(merges)),
      anyTool(createDiscardSubagentTool(merges)),
    ],
  }
}

function servers({ extensions }: SectionInput): Stage {
  return { tools: extensions.tools }
}

function person(): Stage {
  return { guidance: guidance.calls, tools: [anyTool(askUserTool)] }
}

function ending({ thread }: SectionInput): Stage {
  return { guidance: thread.parent === null ? guidance.end : guidance.subagentEnd }
}
