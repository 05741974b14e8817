import type { ImagePart } from '#shared/model/message.ts'

export interface ImageInfo {
  readonly mediaType: ImagePart['mediaType']
  /** Pixels; 0 when the header does not say. */
  readonly width: number
  readonly height: number
}

const maxBytes = 3.75 * 1024 * 1024
const maxPixels = 8_000

/** Why a provider would refuse an image of so many bytes, and with it every request that it is part of; undefined when it would not. */
export function whyNotShown({ width, height }: ImageInfo, bytes: number): string | undefined {
  if (bytes > maxBytes) return 'Too large to show (at most 3.75 MB).'
  if (width > maxPixels || height > maxPixels) return 'Too large to show (at most 8,000 px a side).'
  return undefined
}

/** What kind of image bytes are, by their first bytes and not by their name. */
export function imageInfo(bytes: Uint8Array): ImageInfo | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (startsWith(bytes, '\x89PNG\r\n\x1a\n') && bytes.length >= 24) {
    return { mediaType: 'image/png', width: view.getUint32(16), height: view.getUint32(20) }
  }
  if ((startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')) && bytes.length >= 10) {
    return { mediaType: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) }
  }
  if (startsWith(bytes, '\xff\xd8\xff')) return { mediaType: 'image/jpeg', ...jpegSize(view) }
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8))
    return { mediaType: 'image/webp', ...webpSize(bytes, view) }
  return undefined
}

type Size = Pick<ImageInfo, 'width' | 'height'>
const unknownSize: Size = { width: 0, height: 0 }

/** Walks the segments to the first frame header (SOF0–SOF15 without DHT, JPG and DAC). */
function jpegSize(view: DataView): Size {
  let at = 2
  while (at + 9 < view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    at += 2 + view.getUint16(at + 2)
  }
  return unknownSize
}

function webpSize(bytes: Uint8Array, view: DataView): Size {
  if (bytes.length < 30) return unknownSize
  if (startsWith(bytes, 'VP8X', 12)) {
    const three = (at: number) => 1 + view.getUint16(at, true) + (view.getUint8(at + 2) << 16)
    return { width: three(24), height: three(27) }
  }
  if (startsWith(bytes, 'VP8L', 12)) {
    const bits = view.getUint32(21, true)
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) }
  }
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
}

function startsWith(bytes: Uint8Array, text: string, at = 0): boolean {
  return [...text].every((character, index) => bytes[at + index] === character.charCodeAt(0))
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

/** Undefined for text that is not base64 with its padding. */
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
