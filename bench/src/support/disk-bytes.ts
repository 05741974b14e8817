import { execFileSync } from 'node:child_process'

/** The bytes that a folder takes on the disk, in whole blocks. `except`: a pattern of paths that do not count. */
export function diskBytes(folder: string, except = ''): number {
  const excluded = except === '' ? [] : [`--exclude=${except}`]
  const [kilobytes] = execFileSync('du', ['-sk', ...excluded, folder])
    .toString()
    .split('\t')
  return Number(kilobytes) * 1024
}
