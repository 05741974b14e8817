import { realpathSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ContentBlock, RequestError } from '@agentclientprotocol/sdk'
import { agentPath } from '#host/headless/shown-changes.ts'
import type { Project } from '#host/project/project.ts'
import { typedText } from '#shared/contract/primitives.ts'
import type { ImagePart } from '#shared/model/message.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** What a person sends from an editor, as a message to an agent. */
export interface TypedMessage {
  readonly text: string
  readonly images: ImagePart[]
  /** Stored below `/inputs/`. Base64. */
  readonly inputs: { readonly name: string; readonly data: string }[]
}

/** Pictures, and texts or files, that go with one message. */
export const mostAttached = 20

/**
 * Files of the project become mentions, which agents read themselves; text that the editor sends along becomes an
 * input. Throws a `RequestError` for sound, and for more than a message can take.
 */
export function readPrompt(project: Project, blocks: readonly ContentBlock[]): TypedMessage {
  const message: Omit<TypedMessage, 'text'> = { images: [], inputs: [] }
  const text = joined(blocks.map((block) => readBlock(project, block, message)))
  if (!typedText.safeParse(text).success)
    throw RequestError.invalidParams(undefined, 'The message is too long. Put long texts into a file and mention it.')
  if (message.images.length > mostAttached || message.inputs.length > mostAttached)
    throw RequestError.invalidParams(
      undefined,
      `A message takes at most ${mostAttached} pictures and ${mostAttached} texts or files. Mention files of the project instead.`,
    )
  return { ...message, text }
}

/** The text of one block. What it carries besides goes to the message. */
function readBlock(
  project: Project,
  block: ContentBlock,
  { images, inputs }: Pick<TypedMessage, 'images' | 'inputs'>,
): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
      images.push(imageOf(block.mimeType, block.data))
      return ''
    case 'resource_link':
      return mentionOf(project, block.uri, block.name)
    case 'resource': {
      const { resource } = block
      const name = nameOf(resource.uri)
      if ('text' in resource) inputs.push({ name, data: Buffer.from(resource.text).toString('base64') })
      else if (resource.mimeType?.startsWith('image/')) images.push(imageOf(resource.mimeType, resource.blob))
      else inputs.push({ name, data: resource.blob })
      return mentionOf(project, resource.uri, name)
    }
    case 'audio':
      throw RequestError.invalidParams(undefined, 'Coppice takes no sound. Send text, images or files.')
  }
}

/** Pieces as the editor sent them, apart from each other where a mention would run into a word. */
function joined(texts: readonly string[]): string {
  return texts.reduce((all, text) => {
    const meet = /\S$/.test(all) && /^\S/.test(text) && (text.startsWith('@') || /@\S+$/.test(all))
    return `${all}${meet ? ' ' : ''}${text}`
  }, '')
}

function imageOf(mimeType: string, data: string): ImagePart {
  // The real type is read from the bytes.
  const known = (['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const).find((type) => type === mimeType)
  return { type: 'image', mediaType: known ?? 'image/png', data }
}

/** `@/src/a.ts` for what is in the project, with its lines if the editor names some; else the address itself. */
function mentionOf(project: Project, uri: string, name: string): string {
  const path = mentionedFile(project, uri)?.path
  if (path === undefined) return `${name} (${uri})`
  const lines = /#L(\d+)(?::(\d+))?/.exec(uri)
  // A mention ends at the first space.
  const mention = /\s/.test(path) ? `"${path}"` : `@${path}`
  return `${mention}${lines ? ` (line ${lines[1]}${lines[2] ? ` to ${lines[2]}` : ''})` : ''}`
}

/** A file of the project that an address names: on this machine, and for agents. Null for any other address. */
export function mentionedFile(
  project: Project,
  uri: string,
): { readonly place: string; readonly path: VirtualPath } | null {
  const place = fileOf(uri)
  const path = place === null ? null : (agentPath(project, place) ?? agentPath(project, realPath(place)))
  return place === null || path === null ? null : { place, path }
}

/** Without links on the way, as projects are stored. One that is not there stays as it is. */
function realPath(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    return place
  }
}

function fileOf(uri: string): string | null {
  try {
    return fileURLToPath(uri.replace(/[#?].*$/, ''))
  } catch {
    return null
  }
}

function nameOf(uri: string): string {
  return basename(fileOf(uri) ?? uri.replace(/[#?].*$/, '')) || 'attached.txt'
}
