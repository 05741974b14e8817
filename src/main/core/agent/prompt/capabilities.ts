import { rootThreadOf } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { BranchMerges } from '../../branches/branch-merges.ts'
import type { Batches, Subagents } from '../../tools/delegate/delegation.ts'
import type { TodoList } from '../../tools/todos.ts'
import type { Tool } from '../../tools/tool.ts'
import { type AgentDefinition, definitionOf } from '../types/agent-definition.ts'
import type { AgentServices } from '../types/services.ts'
import { type PromptPart, type Stage, stages } from './sections.ts'

export interface PromptSection {
  readonly part: PromptPart
  readonly text: string
}

/** What an agent would be told and offered if it started now. */
export interface Capabilities {
  readonly definition: AgentDefinition
  readonly sections: readonly PromptSection[]
  readonly tools: readonly Tool[]
}

export interface Family {
  readonly subagents: Subagents
  readonly batches: Batches
  readonly merges: BranchMerges
}

/** Goes through the stages: guidance in their order, then what they append, and the tools the agent's type leaves of theirs. */
export function resolveCapabilities(
  services: AgentServices,
  thread: ThreadState,
  { subagents, batches, merges }: Family,
): Capabilities {
  const extensions = services.extensions.current()
  const definition = definitionOf(extensions, thread.agentType)
  const todos = todoList(services, thread)
  const input = { services, thread, definition, extensions, subagents, batches, merges, todos }
  const made = stages.map((stage) => filterByType(stage(input), definition))
  const guidance = made.flatMap(({ guidance: text }) => (text === undefined ? [] : [text]))
  const appendices = made.flatMap(({ appendix }) => (appendix ? [appendix] : []))
  return {
    definition,
    sections: [{ part: 'guidance', text: guidance.join('\n\n') }, ...appendices],
    tools: made.flatMap(({ tools }) => tools ?? []),
  }
}

/** A stage without the tools its type does not have; guidance about tools goes with the last of them. */
function filterByType(stage: Stage, { mode, tools: names }: AgentDefinition): Stage {
  if (!stage.tools) return stage
  const tools = mode === 'tool' ? [] : stage.tools.filter(({ name }) => names === null || names.includes(name))
  const { guidance, ...rest } = stage
  return { ...rest, tools, ...(tools.length > 0 && guidance !== undefined && { guidance }) }
}

function todoList({ log }: AgentServices, { id }: ThreadState): TodoList {
  const owner = rootThreadOf(log.state, id)
  return {
    read: () => log.state.threads.get(owner)?.todos ?? [],
    entry: (todos) => ({ type: 'todos.written', threadId: owner, todos, by: 'agent' }),
  }
}
