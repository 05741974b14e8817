import { useMemo, useState } from 'react'
import type { BranchId } from '#shared/model/ids.ts'
import { useOfferUndo } from '../../parts/use-offer-undo.ts'
import { useApp, useClient, useCommand, useProjectId } from '../../state/hooks/hooks.tsx'
import { useChecks } from '../../state/hooks/use-checks.ts'
import { useQuery } from '../../state/hooks/use-query.ts'
import type { ComposedBranches } from '../../state/store/ui-state.ts'
import { composeStrings as labels } from '../../strings/composing/compose.ts'
import { chosenFiles, type Draft, emptyDraft } from './composition-draft.ts'

/** What was chosen of compositions that were left and may be opened again. */
const drafts = new Map<string, Draft>()

/** A composition with what a person chose, and the commands for it. */
export function useComposition({ branches, into }: ComposedBranches, onStored: () => void) {
  const client = useClient()
  const projectId = useProjectId()
  const offerUndo = useOfferUndo()
  const command = useCommand()
  const asking = useCommand()
  const key = `${projectId} ${into} ${branches.map(({ branchId, sequence }) => `${branchId}@${sequence}`).join(' ')}`
  const [draft, setDraft] = useState(drafts.get(key) ?? emptyDraft)
  const request = useMemo(() => ({ projectId, into, sources: [...branches] }), [projectId, into, branches])
  const version = useApp(({ timeline }) =>
    [into, ...branches.map(({ branchId }) => branchId)].map((id) => timeline.versions.get(id) ?? 0).join(),
  )
  const checked = useApp(({ live }) => live.checks.get(into) ?? 0)
  const [view, reload] = useQuery('compositions.read', request, version)
  const [known] = useChecks()
  const rows = view.value?.files ?? []
  const files = useMemo(() => chosenFiles(view.value?.files ?? [], draft), [view.value, draft])
  const isDecided = rows.length > 0 && files.length === rows.length
  const isChecked = isDecided && (known?.checks.length ?? 0) > 0
  const [checks] = useQuery(
    'compositions.checks',
    isChecked ? { ...request, files: [...files] } : null,
    `${version} ${checked}`,
  )
  function change(next: Draft): void {
    drafts.set(key, next)
    setDraft(next)
  }
  return {
    ...{ view, reload, rows, draft, change, version, request, command, asking, isDecided, isChecked },
    undecided: rows.length - files.length,
    checks: isChecked ? checks.value : null,
    runChecks: () => command.run(() => client.compositions.runChecks({ ...request, files: [...files] })),
    store: (name: string) =>
      command.run(async () => {
        const { sequence } = await client.compositions.store({ ...request, files: [...files] })
        if (sequence !== null) offerUndo(labels.stored(files.length, name), sequence)
        drafts.delete(key)
        onStored()
      }),
    ask: (path: (typeof rows)[number]['path']) => client.compositions.askToJoin({ ...request, path }),
  }
}

export type OpenComposition = ReturnType<typeof useComposition>

/** The branch by which the proposal of an agent for a file is found. */
export function proposalBranch(
  { branches }: ComposedBranches,
  versions: readonly { readonly source: number }[],
): BranchId | null {
  const first = versions.find(({ source }) => source < branches.length)
  return (first && branches[first.source]?.branchId) ?? null
}
