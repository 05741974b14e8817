import { useMemo } from 'react'
import type { ProcessRecord, ProcessView } from '#shared/model/process.ts'
import { useApp, useAppList, useProjectId } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import type { AppState } from '../../state/store/app-state.ts'
import { processKey } from '../../state/store/live.ts'
import { activeFamily, activeRoot } from '../../state/store/selectors.ts'

/** The processes of the open thread's family as the journal knows them, oldest first. */
function recordsOf(state: AppState): readonly ProcessRecord[] {
  return activeFamily(state).flatMap(({ id }) => state.project.processes.get(id) ?? [])
}

/** How many processes of the open thread's family run. */
export function runningProcesses(state: AppState): number {
  return recordsOf(state).filter(({ end }) => end === null).length
}

/**
 * The processes of the open thread's family, oldest first. The journal says whether they run; everything else comes from
 * the host, first as an answer and then as events.
 */
export function useProcesses(): readonly ProcessView[] {
  const projectId = useProjectId()
  const root = useApp((state) => activeRoot(state)?.id ?? null)
  const records = useAppList(recordsOf)
  const live = useApp((state) => state.live.processes)
  const isAsked = root !== null && records.some(({ end }) => end === null)
  const [known] = useQuery('processes.list', isAsked ? { projectId, threadId: root } : null)
  return useMemo(() => {
    const answered = new Map((known.value ?? []).map((process) => [processKey(process), process]))
    return records.map((record) => {
      const seen = live.get(processKey(record)) ?? answered.get(processKey(record))
      const { isKept = false, ports = [], branchPorts = [], outputBytes = 0 } = seen ?? {}
      const listening = record.end === null ? { ports, branchPorts } : { ports: [], branchPorts: [] }
      return { ...record, ...listening, isKept, outputBytes }
    })
  }, [records, live, known.value])
}
