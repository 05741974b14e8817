import type { Client, ReadResourceResult } from '@modelcontextprotocol/client'
import type { McpResource } from '#core/ports/mcp-client.ts'
import type { UserPart } from '#shared/model/message.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { toImage } from './read-content.ts'

/** The most resources of one server, the most characters and images of one, and the most milliseconds for their list. */
const most = { resources: 1_000, characters: 200_000, images: 5, ms: 3_000, address: 2_000, words: 500 } as const

/**
 * The resources of a server, and what its templates begin with. A server that says that it has some and does not list them
 * has none, and `tell` hears of it: its tools are of use without them.
 */
export async function listResources(
  client: Client,
  request: { readonly signal: AbortSignal; readonly timeout: number },
  tell: (problem: string) => void,
): Promise<readonly McpResource[]> {
  if (client.getServerCapabilities()?.resources === undefined) return []
  const timeout = Math.min(request.timeout / 3, most.ms)
  // Of all pages together.
  const bounded = { timeout, signal: AbortSignal.any([request.signal, AbortSignal.timeout(timeout)]) }
  try {
    const { resources } = await client.listResources({}, bounded)
    const { resourceTemplates: templates } = await client
      .listResourceTemplates({}, bounded)
      .catch(() => ({ resourceTemplates: [] }))
    const all = [
      ...resources.map(({ uri, name, title, description }) => ({ uri, name: title ?? name, description })),
      ...templates.map(({ uriTemplate, name, title, description }) => ({
        ...{ uri: uriTemplate.replace(/\{.*$/s, ''), name: title ?? name, description, isTemplate: true as const },
      })),
    ]
    // A message cannot name an address with a space or an @.
    const usable = all.filter(({ uri }) => uri.length <= most.address && /^[a-z][a-z0-9+.-]*:[^\s@]*$/i.test(uri))
    if (usable.length > most.resources)
      tell(`Only the first ${most.resources} of its ${usable.length} resources are offered.`)
    return usable.slice(0, most.resources).map(({ name, description = '', ...one }) => ({
      ...{ ...one, name: shown(name), description: shown(description) },
    }))
  } catch (error) {
    request.signal.throwIfAborted()
    tell(`Its resources are missing: ${error instanceof Error ? error.message : String(error)}`)
    return []
  }
}

/** What a server says about a resource, as a line for a list. */
function shown(text: string): string {
  return oneLine(beginningOf(text, most.words))
}

/** What a resource holds, as text and images. What a model cannot read is named, and what is too long is cut with a note. */
export function resourceParts({ contents }: ReadResourceResult): readonly UserPart[] {
  let left: number = most.characters
  let images: number = most.images
  return contents.flatMap((one): readonly UserPart[] => {
    if ('text' in one) {
      const text = beginningOf(one.text, left)
      const cut = one.text.length - text.length
      left -= text.length
      return [{ type: 'text', text: cut > 0 ? `${text}\n(${cut} more characters)` : text }]
    }
    const { mimeType = 'application/octet-stream', blob } = one
    if (images <= 0) return [{ type: 'text', text: `(${mimeType}, not shown)` }]
    images -= 1
    return [toImage(mimeType, blob)]
  })
}
