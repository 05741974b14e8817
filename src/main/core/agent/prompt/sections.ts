import { failure } from '#shared/base/result.ts'
import { resultOf } from '#shared/model/calls/call.ts'
import { batchTool } from '#shared/model/derived/batch.ts'
import { userMemoryFolder } from '#shared/model/memory.ts'
import { textOf } from '#shared/model/message.ts'
import type { StageName } from '#shared/model/settings.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { denyingRule } from '../../approval/rules.ts'
import type { BranchMerges } from '../../branches/branch-merges.ts'
import { environmentOf } from '../../branches/branch-trees.ts'
import { listFailed } from '../../checks/failed-checks.ts'
import { instructionsText, memoryIndex, skillsIndex, userMemoryIndex } from '../../prompts/appendices.ts'
import * as guidance from '../../prompts/guidance.ts'
import { askUserTool } from '../../tools/ask-user.ts'
import { createCompactTool } from '../../tools/compact.ts'
import { createAgentRequestTool } from '../../tools/delegate/agent-request.ts'
import { createBatchTaskTool } from '../../tools/delegate/batch-task.ts'
import { createDiscardSubagentTool, createMergeSubagentTool } from '../../tools/delegate/branch-tools.ts'
import type { Batches, Subagents } from '../../tools/delegate/delegation.ts'
import { createSpawnSubagentsTool, createTaskTool } from '../../tools/delegate/subagent-tools.ts'
import { fileTools } from '../../tools/files/file-tools.ts'
import { describeRoutes } from '../../tools/namespace/routes.ts'
import { createProcessTools } from '../../tools/processes/process-tools.ts'
import type { Processes } from '../../tools/processes/processes.ts'
import { createOpenCodeTrial, createOpenCommandTrial } from '../../tools/run/call-trials.ts'
import { createExecuteTool } from '../../tools/run/execute.ts'
import { type AgentChecks, createRunChecksTool } from '../../tools/run/run-checks.ts'
import { createRunJsCodeTool, createRunJsFileTool } from '../../tools/run/run-js.ts'
import { createRunPythonCodeTool, createRunPythonFileTool } from '../../tools/run/run-python.ts'
import type { TodoList } from '../../tools/todos.ts'
import { createReadTodosTool, createUpdateTodoStatusTool, createWriteTodosTool } from '../../tools/todos.ts'
import { anyTool, type Tool } from '../../tools/tool.ts'
import { planCompaction } from '../context/compaction.ts'
import type { AgentDefinition } from '../types/agent-definition.ts'
import type { Extensions } from '../types/extensions.ts'
import type { AgentServices } from '../types/services.ts'
import type { AgentSettings } from '../types/settings.ts'
import { type AgentTuning, isOn } from '../types/tuning.ts'
import { mayUseMemory, userMemoryProblem } from './memory-use.ts'

/** Everything a section may read when it contributes prompt text and tools. */
export interface SectionInput {
  /** The project's services, settings included. */
  readonly services: AgentServices
  /** The thread that the agent works in, as it is now. */
  readonly thread: ThreadState
  /** The agent's type. */
  readonly definition: AgentDefinition
  /** The settings of all agents, with those of the type. */
  readonly tuning: AgentTuning
  /** As last loaded. */
  readonly extensions: Extensions
  /** For the tools that start single subagents. */
  readonly subagents: Subagents
  /** For the tool that runs many tasks. */
  readonly batches: Batches
  /** For the tools that merge and discard branches. */
  readonly merges: BranchMerges
  /** For the tools of commands that stay. */
  readonly processes: Processes
  /** The root thread's list, which its subagents share. */
  readonly todos: TodoList
}

export type PromptPart = 'guidance' | 'instructions' | 'skills' | 'memory' | 'user_memory'

/**
 * The contribution of one section. Guidance comes before every appendix, and is dropped when none of its tools is
 * available.
 */
export interface Section {
  /** Absent when the section has nothing to say. */
  readonly guidance?: string
  /** Come after all guidance; absent or empty when there is nothing to list. */
  readonly appendices?: readonly { readonly part: PromptPart; readonly text: string }[]
  /** Absent for a section without tools of its own, whose guidance always stays. */
  readonly tools?: readonly Tool[]
}

/**
 * Everything that an agent is told and may call, in this order. The same list makes the system prompt and the tools.
 * Add a line here to add a section.
 */
export const sections: readonly ((input: SectionInput) => Section)[] = [
  role,
  instructions,
  memory,
  skills,
  todos,
  filesystem,
  commands,
  checks,
  subagents,
  servers,
  conversation,
  person,
  examples,
  ending,
  final,
]

function role({ services, thread, definition }: SectionInput): Section {
  const place = guidance.place(services.place.name, services.place.folder)
  return {
    guidance: [
      roleOf(services.settings(), definition),
      place,
      ...(thread.parent === null ? [] : [guidance.subagent]),
    ].join('\n\n'),
  }
}

/** What is set for this type wins. Instructions replace the role alone; a prompt replaces all of it. */
function roleOf({ systemPrompt, tuning }: AgentSettings, { prompt, tuning: own }: AgentDefinition): string {
  if (own.instructions !== null) return `${own.instructions} ${guidance.overlay}`
  if (prompt !== null) return prompt
  if (tuning.instructions !== null) return `${tuning.instructions} ${guidance.overlay}`
  return systemPrompt ?? `${guidance.role} ${guidance.overlay}`
}

function instructions({ extensions }: SectionInput): Section {
  const text = instructionsText(extensions.instructions)
  return text === '' ? {} : { appendices: [{ part: 'instructions', text }] }
}

/** A subagent is told only its task, not what its parent knows. It may look into the memories itself. */
function memory({ services, thread }: SectionInput): Section {
  const { log, prefixes } = services
  if (!mayUseMemory(services, thread.id)) return {}
  const place = prefixes['/memories/']
  const shared = userMemoryProblem(services) === null ? `${place}${userMemoryFolder}` : null
  const isRoot = thread.parent === null
  const own = isRoot ? memoryIndex(place, [...log.state.memories.values()]) : ''
  const forAll = isRoot && shared !== null ? userMemoryIndex(shared, [...services.userMemories.current().values()]) : ''
  const appendices = [
    { part: 'memory', text: own },
    { part: 'user_memory', text: forAll },
  ] as const
  return { guidance: guidance.memory(place, shared), appendices: appendices.filter(({ text }) => text !== '') }
}

function skills({ extensions, tuning }: SectionInput): Section {
  if (!isOn(tuning, 'skills')) return {}
  const text = skillsIndex(extensions.skills)
  return text === '' ? {} : { appendices: [{ part: 'skills', text }] }
}

function todos({ thread, todos: list, tuning }: SectionInput): Section {
  if (!isOn(tuning, 'todo')) return {}
  const own = thread.parent === null ? [anyTool(createWriteTodosTool(list))] : []
  const shared = [anyTool(createReadTodosTool(list)), anyTool(createUpdateTodoStatusTool(list))]
  return { guidance: guidance.planning, tools: [...own, ...shared] }
}

function filesystem({ services, thread, tuning }: SectionInput): Section {
  if (!isOn(tuning, 'files')) return {}
  const { prefixes } = services
  const { '/memories/': memories, ...others } = prefixes
  const places = mayUseMemory(services, thread.id) ? [memories, ...Object.values(others)] : Object.values(others)
  return {
    guidance: guidance.files(places, prefixes['/large_tool_results/'], describeRoutes(services.routes)),
    tools: fileTools,
  }
}

function commands(input: SectionInput): Section {
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
  const python = {
    runner: services.runner,
    openTrial: createOpenCodeTrial(services, thread.branchId),
    limits,
    states,
    routes,
    wasTold,
  }
  const javascript = { runner: services.runner, limits, states, declares }
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

function checks(input: SectionInput): Section {
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

function subagents(input: SectionInput): Section {
  if (!mayDelegate(input)) return {}
  const { subagents: family, batches, merges, todos: list } = input
  return {
    guidance: guidance.delegation,
    tools: [
      anyTool(createTaskTool(family, merges, list)),
      anyTool(createSpawnSubagentsTool(family, list)),
      anyTool(createBatchTaskTool(family.types, batches)),
      anyTool(createMergeSubagentTool(merges, checksOf(input))),
      anyTool(createDiscardSubagentTool(merges)),
    ],
  }
}

function servers({ extensions, definition, services }: SectionInput): Section {
  if (definition.program?.kind === 'url') return { tools: [anyTool(createAgentRequestTool(services.programs))] }
  // A tool that can never run would only cost tokens.
  const { rules } = services.settings().policy
  return { tools: extensions.tools.filter(({ name }) => denyingRule(rules, name) === undefined) }
}

/** Whoever switched summaries off gets none by a tool either. */
function conversation({ services, thread, tuning }: SectionInput): Section {
  if (!isOn(tuning, 'summary')) return {}
  const hasOlder = () => planCompaction(services.log.state.threads.get(thread.id) ?? thread) !== null
  return { tools: [anyTool(createCompactTool(hasOlder))] }
}

function person(): Section {
  return { guidance: guidance.calls, tools: [anyTool(askUserTool)] }
}

function examples({ tuning }: SectionInput): Section {
  return tuning.examples.length === 0 ? {} : { guidance: guidance.examples(tuning.examples) }
}

function ending({ thread }: SectionInput): Section {
  return { guidance: thread.parent === null ? guidance.end : guidance.subagentEnd }
}

function final({ tuning }: SectionInput): Section {
  return tuning.finalInstructions === null ? {} : { guidance: tuning.finalInstructions }
}

/** The sections whose place a person may change. */
const movable: ReadonlyMap<StageName, (input: SectionInput) => Section> = new Map([
  ['memory', memory],
  ['skills', skills],
  ['todo', todos],
  ['files', filesystem],
])

/** The sections in the order of the tuning: the named ones first, in the places of all that can be moved. */
export function orderSections({ stages }: AgentTuning): typeof sections {
  const named = stages.flatMap(({ name }) => movable.get(name) ?? [])
  const places = [...movable.values()]
  const order = [...named, ...places.filter((section) => !named.includes(section))].values()
  return sections.map((section) => (places.includes(section) ? (order.next().value ?? section) : section))
}
