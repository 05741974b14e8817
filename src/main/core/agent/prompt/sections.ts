import { userMemoryFolder } from '#shared/model/memory.ts'
import type { StageName } from '#shared/model/settings.ts'
import { instructionsText, memoryIndex, skillsIndex, userMemoryIndex } from '../../prompts/appendices.ts'
import * as guidance from '../../prompts/guidance.ts'
import { askUserTool } from '../../tools/ask-user.ts'
import { createCompactTool } from '../../tools/compact.ts'
import { createFetchUrlTool } from '../../tools/fetch-url.ts'
import { fileTools } from '../../tools/files/file-tools.ts'
import { describeRoutes } from '../../tools/namespace/routes.ts'
import { createReadTodosTool, createUpdateTodoStatusTool, createWriteTodosTool } from '../../tools/todos.ts'
import { anyTool } from '../../tools/tool.ts'
import { planCompaction } from '../context/compaction.ts'
import type { AgentDefinition } from '../types/agent-definition.ts'
import type { AgentSettings } from '../types/settings.ts'
import { type AgentTuning, isOn } from '../types/tuning.ts'
import { mayUseMemory, userMemoryProblem } from './memory-use.ts'
import { planTool } from './plan-tool.ts'
import type { Section, SectionInput } from './section.ts'
import { servers } from './server-tools.ts'
import { checks, commands, subagents } from './work-sections.ts'

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
  web,
  conversation,
  person,
  examples,
  ending,
  final,
]

function role({ services, thread, definition }: SectionInput): Section {
  const place = guidance.place(services.place)
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

/** Off until the person switches it on. */
function web({ services }: SectionInput): Section {
  if (!services.settings().fetchesPages) return {}
  return { tools: [anyTool(createFetchUrlTool({ pages: services.pages, word: () => services.ids.next() }))] }
}

/** Whoever switched summaries off gets none by a tool either. */
function conversation({ services, thread, tuning }: SectionInput): Section {
  if (!isOn(tuning, 'summary')) return {}
  const hasOlder = () => planCompaction(services.log.state.threads.get(thread.id) ?? thread) !== null
  return { tools: [anyTool(createCompactTool(hasOlder))] }
}

function person(input: SectionInput): Section {
  return { guidance: guidance.calls, tools: [anyTool(askUserTool), planTool(input)] }
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
