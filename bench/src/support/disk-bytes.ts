import { execFileSync } from 'node:child_process'

/** The bytes that a folder takes on the disk, in whole blocks. */
export function diskBytes(folder: string): number {
  const [kilobytes] = execFileSync('du', ['-sk', folder]).toString().split('\t')
  return Number(kilobytes) * 1024
}
