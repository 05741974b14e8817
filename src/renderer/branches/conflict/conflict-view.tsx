import type { ReactNode } from 'react'
import type { ConflictSides } from '#shared/contract/views/branches.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { useApp, useProjectId } from '../../state/hooks/hooks.tsx'
import { useAuthorNames } from '../../state/hooks/use-author-names.ts'
import { useQuery } from '../../state/hooks/use-query.ts'
import { strings } from '../../strings/strings.ts'
import type { BranchActions } from '../use-branch-actions.ts'
import { AgentProposal } from './agent-proposal.tsx'
import { ConflictEditor } from './conflict-editor.tsx'

interface ConflictViewProps {
  readonly branch: Branch
  readonly path: VirtualPath
  readonly actions: BranchActions
  /** True if the first conflict takes the focus. */
  readonly takesFocus: boolean
  readonly onDone: () => void
}

/** Loads both sides of a file in conflict and saves the person's result. */
export function ConflictView({ branch, path, actions, takesFocus, onDone }: ConflictViewProps): ReactNode {
  const projectId = useProjectId()
  const oursBy = useAuthorNames(branch.parentId ?? branch.id)(path)
  const version = useApp(({ timeline }) =>
    [branch.id, branch.parentId].map((id) => (id === null ? 0 : (timeline.versions.get(id) ?? 0))).join(' '),
  )
  const [sides, reload] = useQuery('branches.conflict', { projectId, branchId: branch.id, path }, version)
  if (sides.state === 'failed') return <RefusalNotice refusal={sides.refusal} onRetry={reload} />
  if (!sides.value) return <Waiting label={strings.common.loading} />
  return (
    <ConflictEditor
      takesFocus={takesFocus}
      draftKey={`coppice-conflict ${projectId} ${branch.id} ${path}`}
      sides={sides.value}
      oursBy={oursBy}
      theirs={branch.name}
      busy={actions.command.busy}
      onSave={(text) => actions.resolve(path, text)}
      onTake={(side) => actions.takeSide(path, side)}
      onDone={onDone}
      proposal={(take) => <AgentProposal branch={branch} path={path} onTake={take} />}
    />
  )
}

interface ConflictSidesProps {
  readonly sides: ConflictSides
  /** The name of the agent or person who changed the current side last; empty if unknown. */
  readonly oursBy: string
  /** The name of the incoming side: a branch, or the disk. */
  readonly theirs: string
  /** Names the draft of what a person decides and types. */
  readonly draftKey: string
  readonly busy: boolean
  /** Answers whether the text was saved. */
  readonly onSave: (text: string) => Promise<boolean>
}

/** A conflict between the workspace and the disk. */
export function ConflictSidesView(props: ConflictSidesProps): ReactNode {
  return <ConflictEditor {...props} takesFocus={false} onTake={null} onDone={() => undefined} />
}
