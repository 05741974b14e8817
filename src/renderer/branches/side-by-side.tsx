import { X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Branch } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { FileDiff } from '../parts/file-diff.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useApp, useProjectId, useUpdateUi } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { mostCompared } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { IconButton } from '../ui/controls/button.tsx'
import { PathText } from '../ui/controls/path-text.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { classNames } from '../ui/react/class-names.ts'

const labels = strings.attempts

/** Two or three branches beside each other: what each changed since its fork, file by file. */
export function SideBySide({ branches }: { branches: readonly Branch[] }): ReactNode {
  const updateUi = useUpdateUi()
  const [chosen, setChosen] = useState<VirtualPath | null>(null)
  const [a, b, c] = [useChanges(branches[0]), useChanges(branches[1]), useChanges(branches[2])]
  const sides = [a, b, c].slice(0, Math.min(branches.length, mostCompared))
  const paths = [...new Set(sides.flatMap(({ files }) => files.value?.map(({ path }) => path) ?? []))].sort()
  const shown = paths.find((path) => path === chosen) ?? paths[0]
  const failed = sides.find(({ files }) => files.state === 'failed')
  return (
    <section aria-label={labels.sideBySide} className="flex min-h-0 flex-1 flex-col">
      <header className="flex min-h-10 items-center gap-2 border-line border-b px-3 py-1">
        <h2 className="min-w-0 flex-1 truncate font-medium">{labels.sideTitle(branches.map(({ name }) => name))}</h2>
        <IconButton label={labels.closeSide} onClick={() => updateUi((ui) => ({ ...ui, compared: [] }))}>
          <X size={15} aria-hidden />
        </IconButton>
      </header>
      {failed?.files.state === 'failed' && <RefusalNotice refusal={failed.files.refusal} onRetry={failed.reload} />}
      {sides.some(({ files }) => files.state === 'loading') && <Waiting label={strings.common.loading} />}
      {paths.length === 0 && sides.every(({ files }) => files.value) && (
        <p className="p-4 text-muted">{labels.noFiles}</p>
      )}
      {paths.length > 0 && (
        <ul className="max-h-40 shrink-0 overflow-auto border-line border-b">
          {paths.map((path) => (
            <li key={path}>
              <button
                type="button"
                aria-pressed={path === shown}
                onClick={() => setChosen(path)}
                className={classNames(
                  'flex h-8 w-full items-center gap-2 px-3 text-left font-mono text-xs hover:bg-hover',
                  path === shown && 'bg-accent-soft',
                )}
              >
                <PathText path={path} className="flex-1" />
                <span className="text-muted">
                  {sides.filter(({ files }) => files.value?.some((file) => file.path === path)).length} / {sides.length}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {shown && (
        <div className="grid min-h-0 flex-1 auto-cols-fr grid-flow-col divide-x divide-line overflow-auto max-md:grid-flow-row">
          {branches.slice(0, mostCompared).map((branch, place) => (
            <Side
              key={`${branch.id} ${shown}`}
              branch={branch}
              path={shown}
              isChanged={sides[place]?.files.value?.some(({ path }) => path === shown) === true}
            />
          ))}
        </div>
      )}
    </section>
  )
}

/** From its fork to its present. Undefined for no branch. */
function useSpan(branch: Branch | undefined) {
  const sequence = useApp((state) => (branch ? state.project.threads.get(branch.threadId)?.lastSequence : undefined))
  if (!branch || sequence === undefined) return null
  const at = (of: number, branchId: BranchId) => ({ branchId, sequence: of })
  return { from: at(branch.forkedAt, branch.id), to: at(Math.max(sequence, branch.forkedAt), branch.id) }
}

function useChanges(branch: Branch | undefined) {
  const projectId = useProjectId()
  const span = useSpan(branch)
  const [files, reload] = useQuery('branches.compare', span && { projectId, ...span })
  return { files, reload }
}

interface SideProps {
  readonly branch: Branch
  readonly path: VirtualPath
  readonly isChanged: boolean
}

function Side({ branch, path, isChanged }: SideProps): ReactNode {
  const projectId = useProjectId()
  const span = useSpan(branch)
  const [diff, reload] = useQuery('branches.compareFile', isChanged && span ? { projectId, ...span, path } : null)
  return (
    <section aria-label={branch.name} className="flex min-w-0 flex-col">
      <h3 className="border-line border-b bg-panel px-3 py-1 font-medium text-xs">
        <VisibleText text={branch.name} />
      </h3>
      {!isChanged && <p className="p-3 text-muted">{labels.untouched}</p>}
      {isChanged && diff.state === 'failed' && <RefusalNotice refusal={diff.refusal} onRetry={reload} />}
      {isChanged && !diff.value && diff.state !== 'failed' && <Waiting label={strings.common.loading} />}
      {isChanged && diff.value && (
        <FileDiff
          label={`${branch.name}: ${strings.branches.diffOf(path)}`}
          diff={diff.value}
          loadAfter={async () => null}
        />
      )}
    </section>
  )
}
