import { ancestorsOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { MountChange } from '../../ports/branch-mounts.ts'
import type { AgentServices } from '../types/services.ts'

/** How a view differs from the tree that it was opened with: a short text for each changed path, equal for the same content. */
export type ViewMarks = ReadonlyMap<VirtualPath, string>

export function marksOf({ hashing }: Pick<AgentServices, 'hashing'>, changes: readonly MountChange[]): ViewMarks {
  return new Map(changes.map((change) => [change.path, markOf(change)]))
  function markOf(change: MountChange): string {
    switch (change.kind) {
      case 'file':
        return `file ${hashing.hash(change.bytes)} ${change.executable} ${change.mode ?? ''}`
      case 'symlink':
        return `link ${change.target}`
      case 'large':
        return `large ${change.from}`
      default:
        return change.kind
    }
  }
}

/** Whether both are the same, but for permissions that nobody chose: these depend on the program that wrote the file. */
export function sameContent(one = '', other = ''): boolean {
  return one.split(' ').slice(0, 3).join(' ') === other.split(' ').slice(0, 3).join(' ')
}

/** The paths that are as in the beginning again, without those in something that is gone or no folder any more. */
export function pathsBack(before: ViewMarks, now: ViewMarks): readonly VirtualPath[] {
  const isCovered = (path: VirtualPath) => ancestorsOf(path).some((one) => now.has(one) && now.get(one) !== 'directory')
  return [...before.keys()].filter((path) => !now.has(path) && !isCovered(path))
}

/** `marks` with what another view of them has at these paths. */
export function withMarksAt(marks: ViewMarks, paths: Iterable<VirtualPath>, other: ViewMarks): ViewMarks {
  const joined = new Map(marks)
  for (const path of paths) {
    const mark = other.get(path)
    if (mark === undefined) joined.delete(path)
    else joined.set(path, mark)
  }
  return joined
}
