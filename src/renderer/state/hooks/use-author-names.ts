import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { strings } from '../../strings/strings.ts'
import type { AppState } from '../store/app-state.ts'
import type { Author } from '../store/timeline.ts'
import { useApp } from './hooks.tsx'

/** The name of the agent or person who changed a path last; empty if nobody did. */
export function authorIn({ timeline, project }: AppState, branchId: BranchId | null, path: VirtualPath): string {
  const authors = branchId === null ? undefined : timeline.authors.get(branchId)
  return nameOf(authors?.get(path), project.threads)
}

/** Returns a function that names the agent or person who changed a path of the branch last; empty if nobody did. */
export function useAuthorNames(branchId: BranchId): (path: VirtualPath) => string {
  const authors = useApp((state) => state.timeline.authors.get(branchId))
  const threads = useApp((state) => state.project.threads)
  return (path) => nameOf(authors?.get(path), threads)
}

function nameOf(author: Author | undefined, threads: AppState['project']['threads']): string {
  if (author === undefined) return ''
  return author === null ? strings.chat.you : (threads.get(author)?.agent ?? '')
}
