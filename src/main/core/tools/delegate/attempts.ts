import { z } from 'zod'
import { type AttemptsWish, mostAttempts } from '#shared/model/calls/attempts.ts'
import { efforts } from '#shared/model/models/model-facts.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { plural } from '../files/file-tool.ts'
import { failedOutput, jsonOutput, type Tool } from '../tool.ts'
import type { Batches } from './delegation.ts'

const variant = z
  .strictObject({
    model: z.string().trim().min(1).exactOptional().describe('A model, or PROFILE/MODEL.'),
    agent: z.string().trim().min(1).max(200).exactOptional().describe('A kind of subagent.'),
    effort: z.enum(efforts).exactOptional(),
    hint: z.string().trim().min(1).max(20_000).exactOptional().describe('A sentence that follows the task.'),
  })
  .describe('What is different in one attempt.')

export const schema = z.object({
  task: z.string().trim().min(1).describe('The complete task.'),
  n: z.int().min(2).max(mostAttempts).describe('How many attempts.'),
  variants: z
    .array(variant)
    .max(mostAttempts)
    .exactOptional()
    .describe('Dealt out to the attempts in turn: with fewer than n, the first is used again after the last.'),
  budget: z.number().positive().exactOptional().describe('US dollars over all attempts.'),
  checks: z.array(z.string().min(1)).max(100).exactOptional().describe('Names of checks; default: every required one.'),
})
type Arguments = z.infer<typeof schema>

/** Above this many attempts a person is asked. */
const freeAttempts = 8

/** `attempts`: several forks of one tree try the same task at once, and evidence says which is best. Nothing is merged. */
export function createAttemptsTool(batches: Batches): Tool<Arguments> {
  const { attempts } = batches
  return {
    ...toolFacts.attempts,
    description: `Lets several agents try one task at once, each on its own private fork of your files as they are now, and waits for all. Use it for one hard task with checks that tell a good result from a bad one; the user approves more than ${freeAttempts}. You get one table, the best first: by the project's checks, the findings of a reader who saw the changes alone, and the size of the change, never by what the agents say. "best" is the handle to take with merge_subagent; it is null when no attempt is green, and then take none unless you have looked at its files yourself. Nothing is merged, and what you do not take stays on its branch.`,
    schema,
    mustAsk({ n }, threadId) {
      if (n <= freeAttempts || attempts.isPersons(threadId)) return undefined
      const cost = batches.estimate(threadId, n)
      return `${plural(n, 'attempt')} at one task, ${cost === null ? 'what they will cost is not known' : `about $${cost.toFixed(2)}`}`
    },
    async run(args, { threadId, callId, signal }) {
      const wish: AttemptsWish = args
      const problem = attempts.problem(wish, threadId)
      if (problem !== undefined) return failedOutput(problem)
      const summary = await attempts.run({ threadId, callId }, wish, signal)
      if (summary.stopped_by_user)
        return {
          ...failedOutput(
            `The user stopped the attempts. What they changed stays on their branches.\n${JSON.stringify(summary)}`,
          ),
          stopped: true,
        }
      const isMade = summary.attempts.some(({ handle }) => handle !== null)
      return isMade ? jsonOutput(summary) : failedOutput(`No attempt could be made.\n${JSON.stringify(summary)}`)
    },
  }
}
