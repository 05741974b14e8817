import type { ThreadState } from '#shared/model/thread.ts'
import type { BranchMerges } from '../../branches/branch-merges.ts'
import type { Batches, Subagents } from '../../tools/delegate/delegation.ts'
import type { Processes } from '../../tools/processes/processes.ts'
import type { TodoList } from '../../tools/todos.ts'
import type { Tool } from '../../tools/tool.ts'
import type { AgentDefinition } from '../types/agent-definition.ts'
import type { Extensions } from '../types/extensions.ts'
import type { AgentServices } from '../types/services.ts'
import type { AgentTuning } from '../types/tuning.ts'

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
  /** True for the name of a tool that the agent's type allows. */
  readonly allows: (tool: string) => boolean
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
  /** Tools that exist and that a model is shown once it has found them. Absent for none. */
  readonly hidden?: readonly Tool[]
}
