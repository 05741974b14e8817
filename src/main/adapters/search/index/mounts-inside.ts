import { readFileSync } from 'node:fs'

/**
 * True when another file system is mounted somewhere inside the folder. Mounting is no event of any folder, and the other
 * system may change without one.
 */
export function holdsMounts(folder: string): boolean {
  // The kernel writes these characters as octal numbers.
  const written = folder.replace(/[ \t\n\\]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`)
  return readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${written === '/' ? '' : written}/`)
}
