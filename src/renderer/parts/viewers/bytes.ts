import type { FileVersion } from '#shared/contract/views/files.ts'

export function bytesOf({ base64 }: { readonly base64: string }): Uint8Array<ArrayBuffer> {
  const binary = atob(base64)
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
  return bytes
}

/** The version as text; null for one that was not sent, or is not there. */
export function textOf(version: FileVersion | null): string | null {
  if (!version || version.base64 === null) return null
  return new TextDecoder().decode(bytesOf({ base64: version.base64 }))
}
