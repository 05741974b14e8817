import { CircleCheck, OctagonX, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ApplyCompanion, ApplyTarget } from '#shared/contract/views/branches.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useAuthorNames } from '../state/hooks/use-author-names.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Notice } from '../ui/controls/notice.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { reachable, withKeys } from '../ui/react/elements.tsx'
import { FileChoice } from './file-choice.tsx'

const labels = strings.changes

interface TargetActions {
  readonly onJoin: (path: VirtualPath) => void
  readonly onDecide: (path: VirtualPath) => void
  readonly onKeepOurs: (path: VirtualPath) => void
  readonly onTakeDisk: (path: VirtualPath) => void
}

interface ApplyTargetsProps extends TargetActions {
  readonly branchId: BranchId
  readonly targets: readonly ApplyTarget[]
  readonly chosen: ReadonlySet<VirtualPath>
  readonly onChange: (chosen: ReadonlySet<VirtualPath>) => void
}

/** The files that would be written, and how each compares with the disk. Those that need a decision come first. */
export function ApplyTargets({ branchId, targets, chosen, onChange, ...actions }: ApplyTargetsProps): ReactNode {
  const authorOf = useAuthorNames(branchId)
  const blocked = targets.filter(({ state }) => state !== 'ready')
  const inOrder = [...blocked, ...targets.filter(({ state }) => state === 'ready')]
  return (
    <>
      {blocked.length > 0 && <Notice tone="warning" title={labels.blocked} />}
      <FileChoice
        label={labels.filesToWrite}
        height="46vh"
        files={inOrder.map((target) => ({
          ...target,
          author: authorOf(target.path),
          disabled: target.state !== 'ready',
          state: <TargetState target={target} />,
          ...((target.state !== 'ready' || target.companions) && {
            note: (
              <>
                {target.companions && <Along companions={target.companions} />}
                {target.state !== 'ready' && <Decisions target={target} {...actions} />}
              </>
            ),
          }),
        }))}
        chosen={chosen}
        onChange={onChange}
      />
    </>
  )
}

const namesShown = 3

/** The files that are written or deleted together with a chosen one. Many are listed on request. */
function Along({ companions }: { readonly companions: readonly ApplyCompanion[] }): ReactNode {
  const [all, setAll] = useState(false)
  const names = companions.map(({ path, deleted }) => labels.alongFile(path, deleted))
  const listed = names.slice(0, namesShown)
  return (
    <div className="min-w-0 basis-full text-muted text-xs [overflow-wrap:anywhere]">
      <VisibleText text={labels.along(listed, names.length - listed.length)} />
      {names.length > namesShown && (
        <Button tone="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
          {labels.allAlong(names.length)}
        </Button>
      )}
      {all && (
        <ul className="max-h-40 overflow-auto" {...reachable}>
          {withKeys(names).map(({ key, item }) => (
            <li key={key}>
              <VisibleText text={item} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const looks = {
  ready: { Icon: CircleCheck, colour: 'text-good' },
  changed: { Icon: TriangleAlert, colour: 'text-warn' },
  refused: { Icon: OctagonX, colour: 'text-bad' },
} as const

function TargetState({ target: { state } }: { target: ApplyTarget }): ReactNode {
  const { Icon, colour } = looks[state]
  return (
    <span className={`flex shrink-0 items-center gap-1 text-xs ${colour}`}>
      <Icon size={13} aria-hidden className="shrink-0" />
      {labels.states[state]}
    </span>
  )
}

function Decisions({
  target: { path, state, why },
  ...actions
}: TargetActions & { readonly target: ApplyTarget }): ReactNode {
  return (
    <>
      {state === 'refused' && <p className="basis-full text-muted text-xs">{why}</p>}
      {state === 'changed' && (
        <>
          <Button aria-label={labels.joinLabel(path)} onClick={() => actions.onJoin(path)}>
            {labels.join}
          </Button>
          <Button aria-label={labels.decideLabel(path)} onClick={() => actions.onDecide(path)}>
            {labels.decide}
          </Button>
          <Button aria-label={labels.keepOursLabel(path)} onClick={() => actions.onKeepOurs(path)}>
            {strings.drift.keepOurs}
          </Button>
        </>
      )}
      <Button aria-label={labels.takeDiskLabel(path)} onClick={() => actions.onTakeDisk(path)}>
        {strings.drift.takeDisk}
      </Button>
    </>
  )
}
