import { isDeepStrictEqual } from 'node:util'
import type { CallToolResult } from '@modelcontextprotocol/client'
import type { McpResult } from '#core/ports/mcp-client.ts'
import type { ImagePart, UserPart } from '#shared/model/message.ts'

/** Converts a tool's answer to what a model accepts: text and images. Other parts are only named. */
export function toResult({ content, structuredContent, isError }: CallToolResult): McpResult {
  const parts = content.map(toPart)
  const all =
    structuredContent === undefined || repeats(parts, structuredContent)
      ? parts
      : [...parts, text(JSON.stringify(structuredContent))]
  return { ok: isError !== true, content: all.length > 0 ? all : [text('(no content)')] }
}

/** Servers say the same as text, for clients that read no other. */
function repeats(parts: readonly UserPart[], structured: unknown): boolean {
  const json = JSON.stringify(structured)
  return parts.some((part) => {
    try {
      return part.type === 'text' && isDeepStrictEqual(JSON.parse(part.text), JSON.parse(json))
    } catch {
      return false
    }
  })
}

/** A part of an answer, or of a prompt's message, as a text or an image. */
function toPart(block: CallToolResult['content'][number]): UserPart {
  switch (block.type) {
    case 'text':
      return text(block.text)
    case 'image':
      return toImage(block.mimeType, block.data)
    case 'resource':
      return 'text' in block.resource
        ? text(`${block.resource.uri}\n${block.resource.text}`)
        : text(`(${block.resource.mimeType ?? 'binary'} resource ${block.resource.uri})`)
    case 'resource_link':
      return text(`(resource ${block.uri})`)
    default:
      return text(`(${block.type})`)
  }
}

const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
/** The provider's limit, in characters of base64. */
const maxImage = 5_000_000

/** An image that a model accepts, or a text that names what it does not. */
export function toImage(mediaType: string, data: string): UserPart {
  if (!imageTypes.includes(mediaType) || data.length > maxImage)
    return text(`(${mediaType} image of ${Math.round((data.length * 3) / 4)} bytes, not shown)`)
  return { type: 'image', mediaType: mediaType as ImagePart['mediaType'], data }
}

function text(value: string): UserPart {
  return { type: 'text', text: value }
}
