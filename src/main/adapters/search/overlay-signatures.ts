import type { GrepQuery, OverlayText } from '#core/ports/search.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import { createPace } from '../pace.ts'
import { isUtf16, type Signature, signatureOf } from './index/grams.ts'
import { mayMatch, type Requirement, requirementOf } from './index/required-grams.ts'

const mostBytes = 32 * 1024 * 1024
const mostTextBytes = 8 * 1024 * 1024

/**
 * Remembers the signatures of the overlay's texts, so that a search writes out only texts that may match. A text that it
 * sees for the first time is looked through where the query is plain text: a signature takes a hundred times as long.
 */
export function createOverlaySignatures() {
  /** `unsigned` for a text that was only looked through. Null for one without a signature. */
  const known = new Map<BlobHash, Signature | null | 'unsigned'>()
  let held = 0

  function remember(hash: BlobHash | undefined, signature: Signature | null | 'unsigned'): void {
    if (hash === undefined) return
    if (held > mostBytes) {
      known.clear()
      held = 0
    }
    known.set(hash, signature)
    held += 100 + (signature === null || signature === 'unsigned' ? 0 : signature.bits.byteLength)
  }

  function signatureFor({ hash, bytes }: OverlayText): Signature | null {
    const signature = bytes.length > mostTextBytes ? null : signatureOf(bytes)
    remember(hash, signature)
    return signature
  }

  /** Reads the text if it was not seen before. */
  function isPossible(text: OverlayText, requirement: Requirement, plain: Buffer | null): boolean {
    const seen = text.hash === undefined ? undefined : known.get(text.hash)
    if (seen === undefined && plain) {
      remember(text.hash, 'unsigned')
      return holds(text.bytes, plain)
    }
    const signature = seen === undefined || seen === 'unsigned' ? signatureFor(text) : seen
    return signature === null || mayMatch(requirement, signature)
  }

  return {
    /** The texts that may match the query. */
    async keepPossible(
      texts: readonly OverlayText[],
      query: GrepQuery,
      signal: AbortSignal,
    ): Promise<readonly OverlayText[]> {
      const requirement = requirementOf(query)
      if (requirement === null) return texts
      const plain = query.literal && !query.caseInsensitive ? Buffer.from(query.pattern) : null
      const pace = createPace(signal)
      const possible: OverlayText[] = []
      for (const text of texts) {
        if (isPossible(text, requirement, plain)) possible.push(text)
        const turn = pace()
        if (turn) await turn
      }
      return possible
    },
  }
}

/** The engine decodes UTF-16, so its bytes say nothing. */
function holds(bytes: Uint8Array, plain: Buffer): boolean {
  return isUtf16(bytes) || Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(plain)
}
