import { z } from 'zod'
import type { ToolCallId } from '#shared/model/ids.ts'
import type { ApprovalMode } from '#shared/model/thread.ts'
import type { Todo } from '#shared/model/todos/todo.ts'
import { mostPlanCharacters, stepsIn } from '#shared/tools/plans.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { plainWords } from '#shared/tools/tool-labels.ts'
import type { TodoList } from './todos.ts'
import { failedOutput, type Tool, textOutput } from './tool.ts'

export const schema = z.object({
  plan: z
    .string()
    .min(1)
    .max(mostPlanCharacters, {
      error: ({ input }) =>
        `A plan has at most ${mostPlanCharacters} characters, and this one has ${String(input).length}. Hand in a shorter one.`,
    })
    .describe('Markdown. Its steps are a numbered list at the left margin; they become the todo list.'),
})

/** What a person decided about a plan. */
export interface PlanDecision {
  /** The mode that they chose for the work; the mode of the thread when they chose none. */
  readonly chosen: ApprovalMode
  /** The mode that holds then: settings and the type of the agent may limit it. */
  readonly holds: ApprovalMode
}

/** Where a plan leads. */
export interface PlanFollowing {
  /** Undefined for a call that nobody decided. */
  decisionOn(callId: ToolCallId): PlanDecision | undefined
  /** The list that the steps become. Null for an agent that works on the list of another one. */
  readonly todos: TodoList | null
}

/**
 * `present_plan`: the plan is the question, and `run` is reached when a person has approved it. Its mode and its todos are
 * stored with the result.
 */
export function createPresentPlanTool({ decisionOn, todos }: PlanFollowing): Tool<z.infer<typeof schema>> {
  return {
    ...toolFacts.present_plan,
    description:
      'Hands in a plan as a document and waits until the user approves it or asks for changes. In the mode Plan your work ends with it; in other modes use it when the user wants to see a plan first.',
    schema,
    async run({ plan }, { callId }) {
      const decided = decisionOn(callId)
      if (decided === undefined) return failedOutput('Nobody has approved this plan. Hand it in again.')
      const steps = todos === null ? [] : stepsIn(plan)
      const listed = steps.length > 0 && todos !== null ? [todos.entry(withSteps(todos.read(), steps))] : []
      return {
        ...textOutput([approvedText(decided), listed.length > 0 && listedText].filter(Boolean).join(' ')),
        entries: [{ type: 'plan.approved', callId, approvalMode: decided.chosen }, ...listed],
      }
    },
  }
}

function approvedText({ holds }: PlanDecision): string {
  return holds === 'plan'
    ? 'The user approved the plan. The mode is still Plan, so nothing may be changed: end here, with a sentence about what comes next.'
    : 'The user approved the plan. Carry it out now.'
}

const listedText = 'Its steps are the todo list.'

/** The list with the steps of a plan in place of what was not begun. A step that is on it already keeps its status. */
function withSteps(current: readonly Todo[], steps: readonly string[]): readonly Todo[] {
  const contents = [...new Set(steps.map(plainWords))]
  const begun = current.filter(({ content, status }) => status !== 'pending' && !contents.includes(content))
  const known = new Map(current.map((todo) => [todo.content, todo]))
  return [...begun, ...contents.map((content) => known.get(content) ?? { content, status: 'pending' as const })]
}
