import { z } from 'zod'
import type { JsonObject, JsonValue } from '#shared/base/json.ts'
import { parseVirtualPath } from '#shared/model/virtual-path.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { JsonProgramError, type JsonPrograms } from '../../ports/programs/json-programs.ts'
import { failedOutput, type Tool, type ToolContext, textOutput } from '../tool.ts'

export const agentRequestTool = 'agent_request'

export const schema = z.object({ url: z.url({ protocol: /^https?$/ }), message: z.string().min(2) })

/** Sends a task to an agent that is a server. Files in its result become changes of the branch. */
export function createAgentRequestTool(programs: JsonPrograms): Tool<z.infer<typeof schema>> {
  return {
    ...findToolFacts(agentRequestTool),
    describe: ({ url }) => `Send the task to the agent at ${String(url)}.`,
    description: 'Sends a task to an agent that is a server.',
    schema,
    async run({ url, message }, context) {
      try {
        const lines = await programs.post(url, JSON.parse(message) as JsonObject, context.signal)
        for (const line of lines) context.onOutput(`${JSON.stringify(line)}\n`)
        const problem = await writeFiles(lines.at(-1)?.files, context)
        if (problem !== undefined) return failedOutput(problem)
        return textOutput(lines.map((line) => JSON.stringify(withoutFiles(line))).join('\n'))
      } catch (error) {
        if (error instanceof JsonProgramError) return failedOutput(`${url}: ${error.message}`)
        throw error
      }
    },
  }
}

/** Writes `{path: content}`; null deletes. Returns what is wrong with it. */
async function writeFiles(files: JsonValue | undefined, { files: tree }: ToolContext): Promise<string | undefined> {
  if (typeof files !== 'object' || files === null || Array.isArray(files)) return undefined
  for (const [name, content] of Object.entries(files)) {
    const path = parseVirtualPath(name)
    if (!path.ok) return path.error.message
    if (typeof content === 'string') await tree.writeText(path.value, content)
    else if (content === null) await tree.delete(path.value)
    else return `The content of ${name} is neither a text nor null.`
  }
  return undefined
}

function withoutFiles({ files, ...line }: JsonObject): JsonObject {
  return files === undefined ? line : { ...line, files: Object.keys(files ?? {}) }
}
