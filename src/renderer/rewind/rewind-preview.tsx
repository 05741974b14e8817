import { Undo2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { RewindPreview } from '#shared/contract/views/branches.ts'
import type { RememberedSince } from '#shared/contract/views/threads.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { userMemoryFolder } from '#shared/model/memory.ts'
import { AuthorMark } from '../parts/agents/agent-mark.tsx'
import { FileDiff } from '../parts/file-diff.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import { useAuthorNames } from '../state/hooks/use-author-names.ts'
import { useQuery } from '../state/hooks/use-query.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { PathText } from '../ui/controls/path-text.tsx'
import { toastNote } from '../ui/controls/toast.ts'
import { LineCounts } from '../ui/diff/diff-parts.tsx'
import { effectsOf } from './effects.ts'
import { usePagedList } from './use-paged-list.ts'
import type { RewindScope } from './use-rewind-actions.ts'

const labels = strings.rewind

interface RewindTarget {
  readonly threadId: ThreadId
  readonly to: Sequence
}

interface ChosenFile {
  readonly branchId: BranchId
  readonly change: FileChange
}

/** What a rewind would do: in sentences, then file by file. */
export function RewindPreviewView({
  preview,
  target,
  scope,
  onChanged,
}: {
  preview: RewindPreview
  target: RewindTarget
  scope: RewindScope
  onChanged: () => void
}): ReactNode {
  const [chosen, setChosen] = useState<ChosenFile | null>(null)
  const effects = effectsOf(preview, scope)
  const branches = scope === 'conversation' ? [] : preview.branches
  const shown = branches.some(({ branchId }) => branchId === chosen?.branchId) ? chosen : null
  return (
    <section aria-label={labels.preview} className="min-w-0 flex-1">
      <ul className="mb-2 list-disc pl-5 [overflow-wrap:anywhere]">
        {effects.map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
      {branches.map((branch) => (
        <BranchFiles key={branch.branchId} branch={branch} chosen={shown} onChoose={setChosen} />
      ))}
      <RewindMemories memories={preview.memories} onChanged={onChanged} />
      {shown && <Diff key={`${shown.branchId} ${shown.change.path}`} target={target} file={shown} />}
    </section>
  )
}

interface BranchFilesProps {
  readonly branch: RewindPreview['branches'][number]
  readonly chosen: ChosenFile | null
  readonly onChoose: (file: ChosenFile) => void
}

function BranchFiles({ branch: { branchId, agent, changes }, chosen, onChoose }: BranchFilesProps): ReactNode {
  const authorOf = useAuthorNames(branchId)
  const { shown, left, showMore } = usePagedList(changes)
  return (
    <div className="mb-2">
      <h3 className="font-medium">{labels.filesOf(agent ?? labels.workspace, changes.length)}</h3>
      <ul className="max-h-64 overflow-y-auto rounded-md border border-line">
        {shown.map((change) => (
          <li key={change.path} className="border-line not-last:border-b">
            <FileButton
              change={change}
              author={authorOf(change.path)}
              pressed={chosen?.branchId === branchId && chosen.change.path === change.path}
              onPress={() => onChoose({ branchId, change })}
            />
          </li>
        ))}
        {left > 0 && (
          <li>
            <Button tone="quiet" className="m-1" onClick={showMore}>
              {labels.moreFiles(left)}
            </Button>
          </li>
        )}
      </ul>
    </div>
  )
}

function FileButton({
  change,
  author,
  pressed,
  onPress,
}: {
  change: FileChange
  author: string
  pressed: boolean
  onPress: () => void
}): ReactNode {
  const { path, kind, added, removed } = change
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={onPress}
      className="flex min-h-7 w-full items-center gap-2 px-2 text-left hover:bg-hover aria-pressed:bg-hover"
    >
      <span title={strings.common.change[kind]} className="w-4 shrink-0 text-center text-muted">
        <span aria-hidden>{strings.common.changeLetter[kind]}</span>
        <span className="sr-only">{strings.common.change[kind]}</span>
      </span>
      <PathText path={path} className="flex-1" />
      <AuthorMark name={author} />
      <LineCounts added={added} removed={removed} />
    </button>
  )
}

function Diff({ target, file }: { target: RewindTarget; file: ChosenFile }): ReactNode {
  const projectId = useProjectId()
  const { branchId, change } = file
  const [diff, reload] = useQuery('rewind.diff', { projectId, ...target, branchId, path: change.path })
  if (diff.state === 'failed') return <RefusalNotice refusal={diff.refusal} onRetry={reload} />
  if (!diff.value) return <Waiting label={strings.common.loading} />
  return (
    <div className="flex h-72 flex-col overflow-hidden rounded-md border border-line">
      <FileDiff label={labels.diffOf(change.path)} diff={diff.value} loadAfter={() => Promise.resolve(null)} />
    </div>
  )
}

/** The memories written since. A rewind keeps them; here each can be undone. */
function RewindMemories(props: { memories: readonly RememberedSince[]; onChanged: () => void }): ReactNode {
  const { memories, onChanged } = props
  const client = useClient()
  const projectId = useProjectId()
  const undoing = useCommand()
  if (memories.length === 0) return null
  async function takeBack({ name, user }: RememberedSince, undo: NonNullable<RememberedSince['undo']>): Promise<void> {
    const store = user ? client.userMemory : client.memory
    const done = await undoing.run(() => store.restore({ projectId, name, ...undo }))
    if (done) toastNote(labels.memoryUndone)
    onChanged()
  }
  return (
    <section aria-label={labels.memories} className="mb-2">
      <h3 className="font-medium">{labels.memories}</h3>
      {undoing.refusal && <RefusalNotice refusal={undoing.refusal} />}
      <ul className="rounded-md border border-line">
        {memories.map((memory) => {
          const { undo } = memory
          const path = pathOf(memory)
          return (
            <li key={path} className="flex min-h-8 items-center gap-2 border-line px-2 not-last:border-b">
              <PathText path={path} className="flex-1" />
              {undo ? (
                <Button
                  tone="quiet"
                  aria-label={labels.memoryUndo(path)}
                  icon={<Undo2 size={14} aria-hidden />}
                  disabled={undoing.busy}
                  onClick={() => void takeBack(memory, undo)}
                >
                  {strings.common.undo}
                </Button>
              ) : (
                <span className="text-muted text-xs">{labels.memoryShared}</span>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** Below the place of the memories, so that the two kinds cannot be mixed up. */
function pathOf({ name, user }: RememberedSince): string {
  return user ? `${userMemoryFolder}${name}` : name
}
