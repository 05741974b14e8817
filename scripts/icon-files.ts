import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A picture to draw: a square of `size` pixels with the drawing in its middle. */
export interface Picture {
  readonly drawing: 'icon' | 'icon-small' | 'icon-mono'
  readonly size: number
  /** The share of the square that the drawing takes. */
  readonly scale: number
  /** The ground of the drawing fills the whole square, without round corners. */
  readonly full: boolean
}

/** One entry of a file that holds an icon in several sizes. */
export interface IconEntry {
  readonly size: number
  readonly png: Uint8Array
}

/** Below 32 pixels a simpler drawing on the grid of 16 is clearer. */
export function pictureOf(size: number, scale = 1): Picture {
  return { drawing: size < 32 ? 'icon-small' : 'icon', size, scale, full: false }
}

const sizes = [16, 20, 24, 32, 48, 64, 96, 128, 180, 192, 256, 512, 1024]

/** The pictures of `resources/icon`, by file name. */
export const pictures: Readonly<Record<string, Picture>> = {
  ...Object.fromEntries(sizes.map((size) => [`${size}.png`, pictureOf(size)])),
  // Systems cut a maskable icon to a circle or a drop of 80 % of its width.
  'maskable-512.png': { drawing: 'icon', size: 512, scale: 1, full: true },
  // macOS colours a template itself.
  'trayTemplate.png': { drawing: 'icon-mono', size: 16, scale: 1, full: false },
  'trayTemplate@2x.png': { drawing: 'icon-mono', size: 32, scale: 1, full: false },
}

export const icoSizes = [16, 20, 24, 32, 48, 64, 128, 256]

/** The types of an icns file by the pixels of their picture. macOS leaves an edge free: 824 of 1024. */
export const icnsTypes: readonly (readonly [type: string, size: number])[] = [
  ['icp4', 16],
  ['icp5', 32],
  ['ic11', 32],
  ['ic12', 64],
  ['ic07', 128],
  ['ic13', 256],
  ['ic08', 256],
  ['ic14', 512],
  ['ic09', 512],
  ['ic10', 1024],
]
export const icnsScale = 824 / 1024

/** Extends the ground of the drawing to all sides, so that the drawing itself takes 80 % of the square. */
export function fillSquare(svg: string): string {
  const full = svg
    .replace('viewBox="0 0 64 64"', 'viewBox="-8 -8 80 80"')
    .replace(/<rect width="64" height="64" rx="[\d.]+"/, '<rect x="-8" y="-8" width="80" height="80"')
  if (!full.includes('-8 -8') || !full.includes('<rect x="-8"')) throw new Error('The drawing has another ground now.')
  return full
}

/** An icon of Windows: a directory of 16 bytes for each size, then the pictures. */
export function writeIco(entries: readonly IconEntry[]): Buffer {
  const head = Buffer.alloc(6 + 16 * entries.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(entries.length, 4)
  let offset = head.length
  for (const [index, { size, png }] of entries.entries()) {
    const at = 6 + 16 * index
    // 0 means 256.
    head.writeUInt8(size % 256, at)
    head.writeUInt8(size % 256, at + 1)
    head.writeUInt16LE(1, at + 4)
    head.writeUInt16LE(32, at + 6)
    head.writeUInt32LE(png.length, at + 8)
    head.writeUInt32LE(offset, at + 12)
    offset += png.length
  }
  return Buffer.concat([head, ...entries.map(({ png }) => png)])
}

/** An icon of macOS: `icns` and the whole length, then type and length before each picture. */
export function writeIcns(entries: readonly (IconEntry & { readonly type: string })[]): Buffer {
  const parts = entries.flatMap(({ type, png }) => [block(type, png.length + 8), png])
  const length = parts.reduce((sum, part) => sum + part.length, 8)
  return Buffer.concat([block('icns', length), ...parts])
}

function block(type: string, length: number): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32BE(length, 4)
  return head
}

/** The width and the height of a PNG. Throws when the bytes are none. */
export function sizeOfPng(png: Uint8Array): readonly [width: number, height: number] {
  const bytes = Buffer.from(png)
  if (bytes.toString('latin1', 1, 4) !== 'PNG') throw new Error('This is not a PNG.')
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
}

/** Names the drawings that the pictures were made from. */
export function hashOfDrawings(folder: string): string {
  const hash = createHash('sha256')
  for (const name of ['icon', 'icon-small', 'icon-mono']) hash.update(readFileSync(join(folder, `${name}.svg`)))
  return hash.digest('hex')
}
