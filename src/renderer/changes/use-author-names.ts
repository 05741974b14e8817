import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useApp } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'

/** Who made the last change of a path; empty where nobody knows. */
export function useAuthorNames(branchId: BranchId): (path: VirtualPath) => string {
  const authors = useApp((state) => state.timeline.authors.get(branchId))
  const threads = useApp((state) => state.journal.threads)
  return (path) => {
    const author = authors?.get(path)
    if (author === undefined) return ''
    return author === null ? strings.chat.you : (threads.get(author)?.agent ?? '')
  }
}
