import { createHash } from 'node:crypto'

const version = 'version https://git-lfs.github.com/spec/v1'
/** Bytes. A longer text is content. */
const mostOfPointer = 1024

/**
 * What git LFS stores in place of a file's content: its SHA-256 and size (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md).
 * A pointer stays as it is, and so does an empty file.
 */
export function lfsPointer(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0 || isPointer(bytes)) return bytes
  return pointerTo({ sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length })
}

/** The pointer to content of so many bytes. */
export function pointerTo({ sha256, size }: { readonly sha256: string; readonly size: number }): Uint8Array {
  return Buffer.from(`${version}\noid sha256:${sha256}\nsize ${size}\n`)
}

function isPointer(bytes: Uint8Array): boolean {
  if (bytes.length >= mostOfPointer) return false
  return /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:\S+ .*\n)*oid sha256:[0-9a-f]{64}\nsize \d+\n?$/.test(
    Buffer.from(bytes).toString('latin1'),
  )
}
