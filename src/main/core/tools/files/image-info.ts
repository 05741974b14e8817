import { imageSize } from 'image-size'
import type { ImagePart } from '#shared/model/message.ts'

export interface ImageInfo {
  /** Judged by content, whatever the file's name says. */
  readonly mediaType: ImagePart['mediaType']
  /** Pixels; 0 when the header does not say. */
  readonly width: number
  /** Pixels; 0 when the header does not say. */
  readonly height: number
}

const maxBytes = 3.75 * 1024 * 1024
const maxPixels = 8_000

/**
 * Why a provider would refuse an image of this many bytes, together with every request that contains it. Undefined when
 * it would not.
 */
export function whyNotShown({ width, height }: ImageInfo, bytes: number): string | undefined {
  if (bytes > maxBytes) return 'Too large to show (at most 3.75 MB).'
  if (width > maxPixels || height > maxPixels) return 'Too large to show (at most 8,000 px a side).'
  return undefined
}

const mediaTypes: Readonly<Record<string, ImagePart['mediaType']>> = {
  png: 'image/png',
  gif: 'image/gif',
  jpg: 'image/jpeg',
  webp: 'image/webp',
}
const beginnings = ['\x89PNG\r\n\x1a\n', 'GIF87a', 'GIF89a', '\xff\xd8\xff', 'RIFF']

/**
 * The kind and size of an image, judged by its content. Undefined unless it is one of four formats. Only bytes that
 * begin like one of these are measured, so that untrusted bytes never reach the parsers of other formats.
 */
export function imageInfo(bytes: Uint8Array): ImageInfo | undefined {
  if (!beginnings.some((text) => startsWith(bytes, text))) return undefined
  try {
    const { type = '', width, height } = imageSize(bytes)
    const mediaType = mediaTypes[type]
    return mediaType && { mediaType, width, height }
  } catch {
    return startsWith(bytes, '\xff\xd8\xff') ? { mediaType: 'image/jpeg', width: 0, height: 0 } : undefined
  }
}

function startsWith(bytes: Uint8Array, text: string, at = 0): boolean {
  for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text.charCodeAt(index)) return false
  return true
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

export function toBase64(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b, c] = [bytes[at], bytes[at + 1], bytes[at + 2]]
    const bits = (a << 16) | ((b ?? 0) << 8) | (c ?? 0)
    const digit = (shift: number) => alphabet[(bits >> shift) & 63]
    parts.push(`${digit(18)}${digit(12)}${b === undefined ? '=' : digit(6)}${c === undefined ? '=' : digit(0)}`)
  }
  return parts.join('')
}

/** The bytes of base64 text. Undefined for text that is not padded base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const bytes = new Uint8Array((text.length / 4) * 3)
  for (let at = 0; at < text.length; at += 4) {
    const [a, b, c, d] = [0, 1, 2, 3].map((next) => Math.max(0, alphabet.indexOf(text[at + next] ?? '')))
    const bits = ((a ?? 0) << 18) | ((b ?? 0) << 12) | ((c ?? 0) << 6) | (d ?? 0)
    bytes.set([bits >> 16, (bits >> 8) & 255, bits & 255], (at / 4) * 3)
  }
  return bytes.subarray(0, bytes.length - padding)
}
