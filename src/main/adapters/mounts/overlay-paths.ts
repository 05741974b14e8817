import type { MountEntry } from '#core/ports/branch-mounts.ts'
import { type FilePermissions, octal } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** A branch's changes by path. Equal texts mean equal changes. */
export type OverlayPaths = ReadonlyMap<VirtualPath, string>

export function overlayPaths(overlay: readonly MountEntry[]): OverlayPaths {
  return new Map(overlay.map((entry) => [entry.path, signatureOf(entry)]))
}

/** The paths at which two states of a branch differ. */
export function differingPaths(before: OverlayPaths, after: OverlayPaths): ReadonlySet<VirtualPath> {
  const paths = [...before.keys(), ...after.keys()]
  return new Set(paths.filter((path) => before.get(path) !== after.get(path)))
}

function signatureOf(entry: MountEntry): string {
  switch (entry.kind) {
    case 'file':
      return `file ${entry.executable} ${entry.content}${modeOf(entry)}`
    case 'large':
      return `large ${entry.executable} ${entry.content}${modeOf(entry)}`
    case 'symlink':
      return `symlink ${entry.target}`
    case 'directory':
      return entry.opaque ? 'opaque directory' : 'directory'
    case 'absent':
      return 'absent'
  }
}

function modeOf({ mode }: FilePermissions): string {
  return mode === undefined ? '' : ` ${octal(mode)}`
}
