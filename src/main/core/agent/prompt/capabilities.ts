import { rootThreadOf } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { type KnownServerTools, namesTool, resolveToolName } from '../../approval/tool-names.ts'
import type { BranchMerges } from '../../branches/branch-merges.ts'
import { agentRequestTool } from '../../tools/delegate/agent-request.ts'
import type { Batches, Subagents } from '../../tools/delegate/delegation.ts'
import type { Processes } from '../../tools/processes/processes.ts'
import type { TodoList } from '../../tools/todos.ts'
import type { Tool } from '../../tools/tool.ts'
import { askableTool, isAskable } from '../external/askable-tools.ts'
import { type AgentDefinition, definitionOf } from '../types/agent-definition.ts'
import type { Extensions } from '../types/extensions.ts'
import type { AgentServices } from '../types/services.ts'
import { type AgentTuning, mergeTuning } from '../types/tuning.ts'
import type { PromptPart, Section } from './section.ts'
import { orderSections } from './sections.ts'
import { serverTools } from './server-tools.ts'

export interface PromptSection {
  /** The part of the context that its tokens count for. */
  readonly part: PromptPart
  /** Markdown; a blank line joins it to the next section. */
  readonly text: string
}

/** The prompt and the tools that an agent would get if it started now. */
export interface Capabilities {
  /** General-purpose when the thread's type is no longer defined. */
  readonly definition: AgentDefinition
  /** Guidance first, then the appendices, in the order of the sections. */
  readonly sections: readonly PromptSection[]
  /** Only those that the agent's type allows. */
  readonly tools: readonly Tool[]
  /** Tools that a model is shown once it has found them. */
  readonly hidden: readonly Tool[]
  /** All tools of servers that the agent may have, as they are at each call. */
  readonly found: () => readonly Tool[]
}

export interface Family {
  /** Starts subagents for a tool call. */
  readonly subagents: Subagents
  /** Runs many tasks of one tool call. */
  readonly batches: Batches
  /** Plans merges by handle. */
  readonly merges: BranchMerges
  /** Runs commands that stay. */
  readonly processes: Processes
}

/** Collects guidance and appendices of all sections in order, and the tools that the agent's type allows. */
export function resolveCapabilities(
  services: AgentServices,
  thread: ThreadState,
  { subagents, batches, merges, processes }: Family,
): Capabilities {
  const extensions = services.extensions.current()
  const definition = definitionOf(extensions, thread.agentType)
  const todos = todoList(services, thread)
  const tuning = mergeTuning(services.settings().tuning, definition.tuning)
  const allows = toolFilter(definition, extensions.serverTools)
  const family = { subagents, batches, merges, processes }
  const input = { services, thread, definition, tuning, extensions, ...family, todos, allows }
  const made = orderSections(tuning).map((section) => filterByType(section(input), allows))
  const guidance = made.flatMap(({ guidance: text }) => (text === undefined ? [] : [text]))
  const appendices = made.flatMap(({ appendices: own }) => own ?? [])
  return {
    definition,
    sections: [{ part: 'guidance', text: guidance.join('\n\n') }, ...appendices],
    tools: made
      .flatMap(({ tools }) => tools ?? [])
      .map((tool) => (definition.program?.kind === 'acp' ? askableTool(tool, services.prefixes) : tool))
      .map((tool) => redescribe(tool, tuning, extensions.serverTools)),
    hidden: made.flatMap(({ hidden }) => hidden ?? []),
    found: serverTools(services, allows),
  }
}

/** The tool with the description that a person chose for it. */
function redescribe(tool: Tool, { toolDescriptions }: AgentTuning, known: KnownServerTools): Tool {
  for (const [given, description] of toolDescriptions) {
    const found = resolveToolName(given, known)
    if (found.ok && found.name === tool.name) return { ...tool, description }
  }
  return tool
}

/** Says which tools a type has. Its definition may name them by any of their names, or by a glob. */
function toolFilter(
  { mode, tools, withoutTools = [], program }: AgentDefinition,
  known: KnownServerTools,
): (tool: string) => boolean {
  if (program?.kind === 'acp') return (tool) => isAskable(tool)
  if (program) return (tool) => tool === (program.kind === 'url' ? agentRequestTool : toolFacts.execute.name)
  if (mode === 'tool') return () => false
  const namesOf = (given: readonly string[]) =>
    given.flatMap((one) => {
      const found = resolveToolName(one, known)
      return found.ok ? [found.name] : []
    })
  const [names, without] = [tools === null ? ['*'] : namesOf(tools), namesOf(withoutTools)]
  const isIn = (list: readonly string[], tool: string) => list.some((name) => namesTool(name, tool))
  return (tool) => isIn(names, tool) && !isIn(without, tool)
}

/**
 * A sentence for each tool in a definition that does not exist, so that nobody believes that the agent has it. The agent
 * works without it.
 */
export function missingTools({ agents, serverTools }: Extensions, fetchesPages: boolean): readonly string[] {
  return agents.flatMap(({ name, source, tools, tuning }) =>
    [...(tools ?? []), ...tuning.toolDescriptions.keys()].flatMap((given) => {
      const found = resolveToolName(given, serverTools)
      const isOff = found.ok && found.name === toolFacts.fetch_url.name && !fetchesPages
      const problem = isOff
        ? 'fetch_url is off until your own settings have "web": {"fetch": true}.'
        : found.ok
          ? ''
          : found.problem
      return problem === '' ? [] : [`The agent ${name} (${source}) works without one of its tools. ${problem}`]
    }),
  )
}

/** A section with only the tools that the type allows. Its guidance is dropped when none of them is left. */
function filterByType(section: Section, allows: (tool: string) => boolean): Section {
  if (!section.tools) return section
  // A type that names tools of servers finds them like any other.
  const isSearch = (name: string) => name === toolFacts.search_tools.name
  const tools = section.tools.filter(({ name }) => allows(name) || isSearch(name))
  const { guidance, ...rest } = section
  return { ...rest, tools, ...(tools.length > 0 && guidance !== undefined && { guidance }) }
}

function todoList({ log }: AgentServices, { id }: ThreadState): TodoList {
  const owner = rootThreadOf(log.state, id)
  return {
    read: () => log.state.threads.get(owner)?.todos ?? [],
    entry: (todos) => ({ type: 'todos.written', threadId: owner, todos, by: 'agent' }),
  }
}
