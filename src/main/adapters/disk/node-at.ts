import { readlinkSync, type Stats } from 'node:fs'
import type { BaseNode } from '#core/ports/base-tree.ts'

/** Turns `lstat` results into a node of the port. Reads `location` again only for the target of a link. */
export function nodeAt(location: string, stats: Stats): BaseNode {
  const modified = stats.mtimeMs
  if (stats.isFile()) return { kind: 'file', size: stats.size, modified, executable: isExecutable(stats.mode) }
  if (stats.isDirectory()) return { kind: 'directory', modified }
  if (stats.isSymbolicLink()) return { kind: 'symlink', target: readlinkSync(location), modified }
  return { kind: 'special', modified }
}

export function isExecutable(mode: number): boolean {
  return (mode & 0o100) !== 0
}
