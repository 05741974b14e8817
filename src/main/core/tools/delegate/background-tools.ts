import { z } from 'zod'
import { beginningOf, tailOf } from '#shared/text/whole-characters.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { anyTool, failedOutput, jsonOutput, type Tool, type ToolOutput } from '../tool.ts'
import type { Subagents, SubagentView } from './delegation.ts'
import { endedReport } from './subagent-tools.ts'

const handle = z.string().min(1).describe('A handle such as subagent_0.')

export const waitSchema = z.object({
  handles: z
    .union([handle, z.array(handle).min(1)])
    .optional()
    .describe('All that still work when left out.'),
  for: z.enum(['any', 'all']).default('all').describe('any returns as soon as one of them has ended.'),
})
export const statusSchema = z.object({ handle: handle.optional().describe('All when left out.') })
export const messageSchema = z.object({ handle, text: z.string().min(1) })
export const stopAgentSchema = z.object({ handle })

/** Characters of a task and of what an agent said last. */
const [taskShown, saidShown] = [200, 500]

/** Tools for subagents that work while their parent goes on. */
export function createBackgroundTools(subagents: Subagents): readonly Tool[] {
  const find = (views: readonly SubagentView[], names: readonly string[]) => {
    const missing = names.find((name) => views.every((view) => view.handle !== name))
    if (missing === undefined) return views.filter((view) => names.includes(view.handle))
    const known = views.map((view) => view.handle).join(', ') || 'none'
    return failedOutput(`There is no subagent with the handle "${missing}". Known handles: ${known}.`)
  }
  const isFailure = (found: readonly SubagentView[] | ToolOutput<never>): found is ToolOutput<never> => 'ok' in found
  const wait: Tool<z.infer<typeof waitSchema>> = {
    ...toolFacts.agent_wait,
    description:
      'Waits for subagents that were started with wait false, and returns the reports of those that have ended. You are told of each end anyway, so wait only when there is nothing else to do.',
    schema: waitSchema,
    async run({ handles, for: until }, { threadId, signal }) {
      const views = subagents.list(threadId)
      const named = handles === undefined ? null : [handles].flat()
      const found = named === null ? views.filter(({ isRunning }) => isRunning) : find(views, named)
      if (isFailure(found)) return found
      if (found.length === 0)
        return jsonOutput({ subagents: [], running: [], note: 'No subagent of yours is at work.' })
      const ended = await subagents.waitFor(
        threadId,
        found.map((view) => view.threadId),
        until,
        signal,
      )
      const running = found.filter((view) => ended.every((outcome) => outcome.handle !== view.handle))
      return jsonOutput({ subagents: ended.map(endedReport), running: running.map((view) => view.handle) })
    },
  }
  const status: Tool<z.infer<typeof statusSchema>> = {
    ...toolFacts.agent_status,
    description: 'Says how far your subagents are: their status, what they do now and what they said last.',
    schema: statusSchema,
    async run({ handle: named }, { threadId }) {
      const views = subagents.list(threadId)
      const found = named === undefined ? views : find(views, [named])
      return isFailure(found) ? found : jsonOutput({ subagents: found.map(statusOf) })
    },
  }
  const message: Tool<z.infer<typeof messageSchema>> = {
    ...toolFacts.agent_message,
    description:
      'Tells a subagent something more. One that works reads it at its next step; one that has ended goes on with it, on the branch that it has.',
    schema: messageSchema,
    async run({ handle: named, text }, { threadId }) {
      const found = find(subagents.list(threadId), [named])
      if (isFailure(found)) return found
      const [view] = found
      if (!view) throw new Error('A handle that was found has no subagent')
      const how = subagents.tell(threadId, view.threadId, text)
      return jsonOutput({ handle: named, delivered: how === 'queued' ? 'at its next step' : 'it goes on with it' })
    },
  }
  const stop: Tool<z.infer<typeof stopAgentSchema>> = {
    ...toolFacts.agent_stop,
    description: 'Stops a subagent. Its branch stays as far as it got, to be merged or discarded.',
    schema: stopAgentSchema,
    async run({ handle: named }, { threadId }) {
      const found = find(subagents.list(threadId), [named])
      if (isFailure(found)) return found
      for (const view of found) await subagents.stop(view.threadId)
      return jsonOutput({ stopped: named })
    },
  }
  return [anyTool(wait), anyTool(status), anyTool(message), anyTool(stop)]
}

function statusOf({ handle: named, name, status, task, doing, said }: SubagentView): object {
  return {
    ...{ handle: named, name, status, task: beginningOf(task, taskShown) },
    ...(doing !== null && { doing }),
    ...(said !== '' && { said: tailOf(said, saidShown) }),
  }
}
