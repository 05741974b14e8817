const probedBytes = 8_000

/** Git's rule: binary if there is a NUL among the first 8,000 bytes. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, probedBytes).includes(0)
}

/** The text of bytes that are UTF-8 and survive a round trip; undefined for all others. */
export function exactText(bytes: Uint8Array): string | undefined {
  if (isBinary(bytes)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
