import { z } from 'zod'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { type Tool, textOutput } from './tool.ts'

export const schema = z.object({})

/**
 * `compact`: the agent's own wish for the summary that comes by itself when a conversation grows too long. `hasOlder`
 * says whether there is anything before the messages that always stay.
 */
export function createCompactTool(hasOlder: () => boolean): Tool<z.infer<typeof schema>> {
  return {
    ...toolFacts.compact,
    description:
      'Replaces the older part of this conversation by a summary before your next reply, as happens by itself when it grows too long. Use it between two pieces of work, when most of what you read is no longer needed. Everything the user wrote and your last messages stay, and the whole text stays in a file that you can search.',
    schema,
    async run(_, { callId }) {
      if (!hasOlder()) return textOutput(nothingOlder)
      return { ...textOutput(willBeSummarised), entries: [{ type: 'compaction.requested', callId }] }
    },
  }
}

const nothingOlder = 'There is nothing to summarise yet: the last messages always stay as they are.'
const willBeSummarised =
  'A summary replaces the older part of this conversation before your next reply. It names the file with the whole text.'
