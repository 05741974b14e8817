import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { bitOf, type Signature } from './grams.ts'
import type { Requirement } from './required-grams.ts'

/** A file of the index: the number of its folder, and its place among the names of that folder. */
export type Document = readonly [folder: number, name: number]

/** What has to be remembered of a segment to read it. */
export interface SegmentFacts {
  readonly id: number
  /** In bytes. */
  readonly length: number
  readonly sha256: string
  readonly blocks: readonly BlockFacts[]
}

/** Up to `mostBits` of signatures of one size. */
interface BlockFacts {
  readonly size: number
  readonly documents: number
  /** Where its documents begin, as pairs of 32-bit numbers. The rows of bits follow. */
  readonly offset: number
}

const mostBits = 2 ** 25
const documentBytes = 8

/**
 * Writes signatures into one file. Signatures of one size form a table that is turned: a row holds one bit of each
 * document. So a search reads one row for each sequence it asks about, and no others.
 */
export function createSegmentWriter(id: number, file: string) {
  const descriptor = openSync(file, 'w', 0o600)
  const hash = createHash('sha256')
  const waiting = new Map<number, { readonly document: Document; readonly bits: Uint32Array }[]>()
  const blocks: BlockFacts[] = []
  let length = 0

  function write(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done)
    hash.update(bytes)
    length += bytes.length
  }

  function writeBlock(size: number): void {
    const held = waiting.get(size) ?? []
    waiting.delete(size)
    blocks.push({ size, documents: held.length, offset: length })
    write(new Uint8Array(Uint32Array.from(held.flatMap(({ document }) => document)).buffer))
    write(turned(held, size))
  }

  return {
    add(document: Document, { size, bits }: Signature): void {
      const held = waiting.get(size) ?? []
      waiting.set(size, held)
      held.push({ document, bits })
      if (held.length * size >= mostBits) writeBlock(size)
    },
    finish(): SegmentFacts {
      for (const size of [...waiting.keys()]) writeBlock(size)
      closeSync(descriptor)
      return { id, length, sha256: hash.digest('hex'), blocks }
    },
    abandon: () => closeSync(descriptor),
  }
}

function turned(held: readonly { readonly bits: Uint32Array }[], size: number): Uint8Array {
  const row = Math.ceil(held.length / 8)
  const table = new Uint8Array(row * size)
  for (const [place, { bits }] of held.entries()) {
    const [byte, mask] = [place >>> 3, 1 << (place & 7)]
    for (let word = 0; word < bits.length; word += 1) {
      for (let left = bits[word] ?? 0; left !== 0; left &= left - 1) {
        const at = (word * 32 + 31 - Math.clz32(left & -left)) * row + byte
        table[at] = (table[at] ?? 0) | mask
      }
    }
  }
  return table
}

export interface Segment extends Disposable {
  readonly facts: SegmentFacts
  /** The documents whose text may meet the requirement, and perhaps others. */
  candidates(requirement: Requirement): Iterable<Document>
}

/** Opens a segment whose content was checked. Throws errors of the system. */
export function openSegment(file: string, facts: SegmentFacts): Segment {
  const descriptor = openSync(file, 'r')
  return {
    facts,
    *candidates(requirement) {
      for (const block of facts.blocks) yield* documentsOf(descriptor, block, rowFor(descriptor, block, requirement))
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  }
}

/** A bit for each document of the block: unset where it cannot meet the requirement. */
function rowFor(descriptor: number, block: BlockFacts, requirement: Requirement): Uint8Array {
  if (requirement.kind === 'gram') {
    const row = Math.ceil(block.documents / 8)
    const table = block.offset + block.documents * documentBytes
    return readAt(descriptor, table + bitOf(requirement.key, block.size) * row, row)
  }
  const rows = requirement.of.map((part) => rowFor(descriptor, block, part))
  const isAll = requirement.kind === 'all'
  return rows.reduce((sum, row) => {
    for (let at = 0; at < sum.length; at += 1) {
      const [one = 0, other = 0] = [sum[at], row[at]]
      sum[at] = isAll ? one & other : one | other
    }
    return sum
  })
}

function* documentsOf(descriptor: number, block: BlockFacts, row: Uint8Array): Iterable<Document> {
  let documents: Buffer | undefined
  for (const [byte, bits] of row.entries()) {
    for (let left = bits; left !== 0; left &= left - 1) {
      const place = byte * 8 + 31 - Math.clz32(left & -left)
      documents ??= readAt(descriptor, block.offset, block.documents * documentBytes)
      yield [documents.readUInt32LE(place * documentBytes), documents.readUInt32LE(place * documentBytes + 4)]
    }
  }
}

/** Throws when the file ends before. */
function readAt(descriptor: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let done = 0; done < length; ) {
    const count = readSync(descriptor, bytes, done, length - done, offset + done)
    if (count === 0) throw new Error('A file of the search index is cut.')
    done += count
  }
  return bytes
}
