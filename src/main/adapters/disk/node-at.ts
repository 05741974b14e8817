import { readlinkSync, type Stats } from 'node:fs'
import type { BaseNode } from '#core/ports/base-tree.ts'
import type { FilePermissions } from '#shared/model/tree-node.ts'
import { newFileMode } from '../system/new-file-mode.ts'

/** Turns `lstat` results into a node of the port. Reads `location` again only for the target of a link. */
export function nodeAt(location: string, stats: Stats): BaseNode {
  const modified = stats.mtimeMs
  if (stats.isFile()) return { kind: 'file', size: stats.size, modified, ...permissionsAt(stats.mode) }
  if (stats.isDirectory()) return { kind: 'directory', modified }
  if (stats.isSymbolicLink()) return { kind: 'symlink', target: readlinkSync(location), modified }
  return { kind: 'special', modified }
}

export function isExecutable(mode: number): boolean {
  return (mode & 0o100) !== 0
}

function permissionsAt(bits: number): FilePermissions {
  const [executable, mode] = [isExecutable(bits), bits & 0o777]
  return { executable, ...(mode !== newFileMode(executable) && { mode }) }
}
