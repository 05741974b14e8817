import type { Client, GetPromptResult } from '@modelcontextprotocol/client'
import type { McpPrompt } from '#core/ports/mcp-client.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'

/** The most prompts of one server, the most characters of one, and the most milliseconds for their list. */
const most = { prompts: 200, characters: 200_000, ms: 3_000 } as const

/**
 * The prompts of a server. A server that says that it has some and does not list them has none, and `tell` hears of it:
 * its tools are of use without them.
 */
export async function listPrompts(
  client: Client,
  request: { readonly signal: AbortSignal; readonly timeout: number },
  tell: (problem: string) => void,
): Promise<readonly McpPrompt[]> {
  if (client.getServerCapabilities()?.prompts === undefined) return []
  try {
    const { prompts } = await client.listPrompts({}, { ...request, timeout: Math.min(request.timeout / 2, most.ms) })
    if (prompts.length > most.prompts)
      tell(`Only the first ${most.prompts} of its ${prompts.length} prompts are offered.`)
    return prompts.slice(0, most.prompts).map(({ name, description = '', arguments: parameters = [] }) => ({
      ...{ name, description },
      parameters: parameters.map((one) => ({ name: one.name, isRequired: one.required === true })),
    }))
  } catch (error) {
    request.signal.throwIfAborted()
    tell(`Its prompts are missing: ${error instanceof Error ? error.message : String(error)}`)
    return []
  }
}

/** What a prompt says. Parts that are no text are named. */
export function promptText({ messages }: GetPromptResult): string {
  const whole = messages
    .map(({ role, content }) => (role === 'assistant' ? `Assistant: ${partText(content)}` : partText(content)))
    .join('\n\n')
  return whole.length > most.characters
    ? `${beginningOf(whole, most.characters)}\n(cut at ${most.characters} characters)`
    : whole
}

function partText(part: GetPromptResult['messages'][number]['content']): string {
  if (part.type === 'text') return part.text
  if (part.type === 'resource' && 'text' in part.resource) return `${part.resource.uri}\n${part.resource.text}`
  return part.type === 'resource_link' ? `(resource ${part.uri})` : `(${part.type})`
}
