import type { SlashView } from '#shared/contract/views/extensions.ts'
import { useApp, useProjectId } from '../../../state/hooks/hooks.tsx'
import { useQuery } from '../../../state/hooks/use-query.ts'
import { activeThread } from '../../../state/store/selectors.ts'

/**
 * What a word after a slash can mean in the open project; empty while nobody asks. What is known at once comes first, and
 * the prompts of servers when they are connected.
 */
export function useSlashEntries(isAsked: boolean): readonly SlashView[] {
  const projectId = useProjectId()
  const model = useApp((state) => activeThread(state)?.model)
  const of = { projectId, ...(model !== undefined && { model }) }
  const [atOnce] = useQuery('extensions.slash', isAsked ? { ...of, servers: false } : null)
  const [all] = useQuery('extensions.slash', isAsked ? { ...of, servers: true } : null)
  return all.value?.entries ?? atOnce.value?.entries ?? []
}
