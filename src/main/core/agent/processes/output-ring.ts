import type { ProcessOutput } from '#shared/model/process.ts'

/** The last output of a process. Positions are bytes of UTF-8 since its start. */
export interface OutputRing {
  /** Bytes so far, including dropped ones. */
  readonly bytes: number
  add(text: string): void
  /** At most so many bytes from a position on. One that is no longer kept gives what is, and says how much is missing. */
  from(since: number, most?: number): ProcessOutput
}

/** Keeps at least the last `limit` bytes and at most twice as many. Cuts only between characters. */
export function createOutputRing(limit: number): OutputRing {
  const encoder = new TextEncoder()
  const decoder = new TextDecoder()
  let pieces: Uint8Array[] = []
  let held = 0
  let bytes = 0

  function trim(): void {
    const all = join(pieces, held)
    const kept = all.slice(startOfCharacter(all, held - limit))
    pieces = [kept]
    held = kept.length
  }
  return {
    get bytes() {
      return bytes
    },
    add(text) {
      const piece = encoder.encode(text)
      pieces.push(piece)
      held += piece.length
      bytes += piece.length
      if (held > 2 * limit) trim()
    },
    from(since, most = Number.POSITIVE_INFINITY) {
      const first = bytes - held
      const all = join(pieces, held)
      const start = startOfCharacter(all, Math.min(Math.max(since - first, 0), held))
      const droppedBytes = Math.max(first - since, 0)
      const end = held - start > most ? startOfCharacter(all, start + most) : held
      return { text: decoder.decode(all.subarray(start, end)), next: first + end, droppedBytes }
    },
  }
}

function join(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

/** The first position from `at` on that is not inside a character. */
function startOfCharacter(bytes: Uint8Array, at: number): number {
  let start = at
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
  return start
}
