import type { Sequence } from '#shared/model/ids.ts'

/**
 * The entries that were checked against their schemas. Nearly all of them are one long beginning of the journal. Threads
 * of a long journal are read one by one, so beyond that beginning any entries can be checked first.
 */
export interface CheckedRows {
  /** Every entry up to this one is checked. */
  readonly upTo: () => Sequence
  has(sequence: Sequence): boolean
  /** Adds the entries from `first` to `last`. */
  add(first: Sequence, last?: Sequence): void
}

export function createCheckedRows(start: Sequence): CheckedRows {
  let upTo = start
  /** A bit for each entry after `start`. */
  let bits = new Uint8Array(0)

  function hasBit(sequence: Sequence): boolean {
    const at = sequence - start
    return ((bits[at >> 3] ?? 0) & (1 << (at & 7))) !== 0
  }

  function setBit(sequence: Sequence): void {
    const at = sequence - start
    const byte = at >> 3
    if (byte >= bits.length) {
      const larger = new Uint8Array(2 * byte + 64)
      larger.set(bits)
      bits = larger
    }
    bits[byte] = (bits[byte] ?? 0) | (1 << (at & 7))
  }

  return {
    upTo: () => upTo,
    has: (sequence) => sequence <= upTo || hasBit(sequence),
    add(first, last = first) {
      if (first <= upTo + 1) upTo = Math.max(upTo, last)
      else for (let sequence = first; sequence <= last; sequence += 1) setBit(sequence)
      while (hasBit(upTo + 1)) upTo += 1
    },
  }
}
