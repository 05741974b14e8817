import { z } from 'zod'
import type { SubagentTask } from '../agent/subagents.ts'

/** The type every installation has: the main agent's prompt and tools. */
export const generalPurpose = 'general-purpose'

export const subagentType = z.string().min(1).default(generalPurpose).describe('Which kind of subagent does it.')
export const todoIndex = z
  .int()
  .min(0)
  .optional()
  .describe('0-based index of the todo this task works on; its status follows the task.')

/** What is wrong with tasks beyond their shape; undefined when nothing is. */
export function taskProblem(tasks: readonly SubagentTask[], types: readonly string[]): string | undefined {
  const unknown = tasks.find((task) => !types.includes(task.subagentType))
  return unknown && `There is no subagent type "${unknown.subagentType}". Types: ${types.join(', ')}.`
}
