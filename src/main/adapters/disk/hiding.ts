import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** Disks of these systems take names for the same that differ in case or in how accents are written. */
const fold: (path: string) => string =
  process.platform === 'linux' ? (path) => path : (path) => path.normalize('NFC').toLowerCase()

/** Tells which paths lie in the hidden folder, itself included. */
export function createHiding(hidden: VirtualPath | null): (path: string) => boolean {
  if (hidden === null) return () => false
  const folder = fold(hidden)
  return (path) => {
    const asked = fold(path)
    return asked === folder || asked.startsWith(`${folder}/`)
  }
}
