import type { OverlayText } from '#core/ports/search.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import { createPace } from '../pace.ts'
import { type Signature, signatureOf } from './index/grams.ts'
import { mayMatch, type Requirement } from './index/required-grams.ts'

const mostBytes = 32 * 1024 * 1024
const mostTextBytes = 8 * 1024 * 1024

/** Remembers the signatures of the overlay's texts, so that a search writes out only texts that may match. */
export function createOverlaySignatures() {
  const known = new Map<BlobHash, Signature | null>()
  let held = 0

  function signatureFor({ hash, bytes }: OverlayText): Signature | null {
    const signature = bytes.length > mostTextBytes ? null : signatureOf(bytes)
    if (hash === undefined) return signature
    if (held > mostBytes) {
      known.clear()
      held = 0
    }
    known.set(hash, signature)
    held += 100 + (signature?.bits.byteLength ?? 0)
    return signature
  }

  return {
    /** The texts that may meet the requirement. Reads those it has not seen before. */
    async keepPossible(
      texts: readonly OverlayText[],
      requirement: Requirement | null,
      signal: AbortSignal,
    ): Promise<readonly OverlayText[]> {
      if (requirement === null) return texts
      const pace = createPace(signal)
      const possible: OverlayText[] = []
      for (const text of texts) {
        const seen = text.hash === undefined ? undefined : known.get(text.hash)
        const signature = seen === undefined ? signatureFor(text) : seen
        if (signature === null || mayMatch(requirement, signature)) possible.push(text)
        const turn = pace()
        if (turn) await turn
      }
      return possible
    },
  }
}

export type OverlaySignatures = ReturnType<typeof createOverlaySignatures>
