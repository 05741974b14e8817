import { z } from 'zod'
import type { JsonObject } from '#shared/base/json.ts'
import { McpError, type McpResult, type McpTool } from '../ports/mcp-client.ts'
import { failedOutput, type Tool } from './tool.ts'

export interface McpToolOptions {
  /** As the model calls it. */
  readonly name: string
  readonly server: string
  readonly tool: McpTool
  /** Why a person must be asked whatever the rules say: it is not the tool that was approved. */
  readonly mustAsk: () => string | undefined
  readonly call: (args: JsonObject, signal: AbortSignal) => Promise<McpResult>
}

/** A tool of a connected server. What it says of itself is a stranger's word: no hint of its makes it less sensitive. */
export function createMcpTool({ name, server, tool, mustAsk, call }: McpToolOptions): Tool<JsonObject> {
  return {
    name,
    description: `${tool.description || tool.name} (a tool of the server ${server})`,
    schema: argumentsOf(tool.inputSchema),
    inputSchema: tool.inputSchema,
    effect: 'outside',
    mustAsk,
    async run(args, { signal }) {
      try {
        return await call(args, signal)
      } catch (error) {
        if (error instanceof McpError) return failedOutput(`${server}: ${error.message}`)
        throw error
      }
    },
  }
}

/** A schema this version cannot read lets every object through: the server checks its arguments itself. */
function argumentsOf(schema: JsonObject): z.ZodType<JsonObject> {
  const anything = z.record(z.string(), z.json()) as unknown as z.ZodType<JsonObject>
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]) as unknown as z.ZodType<JsonObject>
  } catch {
    return anything
  }
}
