import { z } from 'zod'
import type { JsonObject, JsonValue } from '#shared/base/json.ts'
import { isQuicklyChecked } from '#shared/base/schemas/schema-limits.ts'
import { offerSchema, withOwnKeys } from '#shared/base/schemas/tool-schema.ts'
import type { UserPart } from '#shared/model/message.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { McpError, type McpResult, type McpTool } from '../ports/mcp-client.ts'
import { fromBase64, imageInfo, whyNotShown } from './files/image-info.ts'
import { failedOutput, type Tool, type ToolContext } from './tool.ts'

export interface McpToolOptions {
  /** The name by which the model calls it. */
  readonly name: string
  /** Its name in the settings, for the description and for errors. */
  readonly server: string
  /** As the server lists it, with the server's own name for it. */
  readonly tool: McpTool
  /**
   * Why a person must be asked, whatever the rules say: the tool differs from the approved one. Undefined when it does
   * not.
   */
  readonly mustAsk: () => string | undefined
  /** True when requests show it however many tools there are. */
  readonly alwaysShown?: boolean
  /** Throws `McpError`, and the abort reason. */
  readonly call: (args: JsonObject, signal: AbortSignal, during: McpCallPlace) => Promise<McpResult>
}

/** Where a call belongs, for what its server says and asks meanwhile. */
export interface McpCallPlace extends Pick<ToolContext, 'threadId' | 'callId'> {
  /** Gets a line at a time. */
  readonly onProgress: (line: string) => void
}

/** A tool of a connected server. Its own description is not trusted: none of its hints makes it less sensitive. */
export function createMcpTool({ name, server, tool, mustAsk, alwaysShown, call }: McpToolOptions): Tool<JsonObject> {
  let offered: ReturnType<typeof offerSchema> | undefined
  /** When it is needed: most tools of a large server are never shown or called. */
  const offer = () => {
    offered ??= offerSchema(tool.inputSchema)
    return offered
  }
  return {
    ...findToolFacts(name),
    serverTool: tool.name,
    ...(alwaysShown && { alwaysShown }),
    description: `${tool.description || tool.name} (a tool of the server ${server})`,
    schema: argumentsOf(() => offer().schema),
    get inputSchema() {
      return offer().schema
    },
    mustAsk,
    async run(args, { signal, onOutput, threadId, callId }) {
      try {
        const { ok, content } = await call(withOwnKeys(args, offer().renamed), signal, {
          ...{ threadId, callId },
          onProgress: (line) => onOutput(`${line}\n`),
        })
        return { ok, content: content.map(usable) }
      } catch (error) {
        if (!(error instanceof McpError)) throw error
        if (error.code !== 'login') return failedOutput(`${server}: ${error.message}`)
        return { ...failedOutput(`${server}: ${error.message} ${onlyPerson}`), login: server }
      }
    },
  }
}

/** An agent would try again, or look for the login. */
const onlyPerson = 'Only the user can log in. Go on without this server, and say what you could not do.'

/** Replaces an image that is broken or mislabelled, because the provider would refuse the conversation from then on. */
function usable(part: UserPart): UserPart {
  if (part.type === 'text') return part
  const bytes = fromBase64(part.data)
  const image = bytes && imageInfo(bytes)
  if (!image) return { type: 'text', text: `(${part.mediaType} image that cannot be read, not shown)` }
  const problem = whyNotShown(image, bytes.length)
  if (problem !== undefined) return { type: 'text', text: `(${image.mediaType} image, not shown: ${problem})` }
  return { ...part, mediaType: image.mediaType }
}

/**
 * A schema that only checks. The server gets what a person was shown, without the schema's defaults. A schema that this
 * version cannot read accepts every object, since the server checks its arguments itself.
 */
function argumentsOf(schema: () => JsonObject): z.ZodType<JsonObject> {
  let check: { readonly of: z.ZodType | undefined } | undefined
  return z.custom<JsonObject>().superRefine((args, context) => {
    check ??= { of: checkOf(schema()) }
    for (const { path, message, ...issue } of check.of?.safeParse(args).error?.issues ?? [])
      context.addIssue({
        ...{ path, message, code: 'custom' },
        ...('expected' in issue && { params: { expected: issue.expected } }),
      })
  })
}

function checkOf(schema: JsonObject): z.ZodType | undefined {
  if (!isQuicklyChecked(schema)) return undefined
  try {
    return z.fromJSONSchema(withoutPatterns(schema) as Parameters<typeof z.fromJSONSchema>[0])
  } catch {
    return undefined
  }
}

/** Removes regular expressions, because an untrusted one could block the process. */
function withoutPatterns(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(withoutPatterns)
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(([key, value]) => key !== 'patternProperties' && !isPattern(key, value))
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutPatterns(value)]))
}

function isPattern(key: string, value: JsonValue): boolean {
  return key === 'pattern' && typeof value === 'string'
}
