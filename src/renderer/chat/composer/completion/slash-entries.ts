import type { SlashView } from '#shared/contract/views/extensions.ts'
import { useProjectId } from '../../../state/hooks/hooks.tsx'
import { useQuery } from '../../../state/hooks/use-query.ts'

/**
 * What a word after a slash can mean in the open project; empty while nobody asks. What is known at once comes first, and
 * the prompts of servers when they are connected.
 */
export function useSlashEntries(isAsked: boolean): readonly SlashView[] {
  const projectId = useProjectId()
  const [atOnce] = useQuery('extensions.slash', isAsked ? { projectId, servers: false } : null)
  const [all] = useQuery('extensions.slash', isAsked ? { projectId, servers: true } : null)
  return all.value?.entries ?? atOnce.value?.entries ?? []
}
