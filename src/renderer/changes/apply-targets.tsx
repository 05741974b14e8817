import { CircleCheck, OctagonX, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ApplyTarget } from '#shared/contract/views.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { FileChoice } from './file-choice.tsx'

const words = strings.changes

interface TargetActs {
  readonly onJoin: (path: VirtualPath) => void
  readonly onDecide: (path: VirtualPath) => void
  readonly onTakeDisk: (path: VirtualPath) => void
}

export interface ApplyTargetsProps extends TargetActs {
  readonly targets: readonly ApplyTarget[]
  readonly chosen: ReadonlySet<VirtualPath>
  readonly onChange: (chosen: ReadonlySet<VirtualPath>) => void
}

/** Every file that would be written, with where it stands against the disk; those that need a decision come first. */
export function ApplyTargets({ targets, chosen, onChange, ...acts }: ApplyTargetsProps): ReactNode {
  const blocked = targets.filter(({ state }) => state !== 'ready')
  const inOrder = [...blocked, ...targets.filter(({ state }) => state === 'ready')]
  return (
    <>
      {blocked.length > 0 && <Notice tone="warning" title={words.blocked} />}
      <FileChoice
        label={words.filesToWrite}
        files={inOrder.map((target) => ({
          ...target,
          disabled: target.state !== 'ready',
          note: <TargetState target={target} {...acts} />,
        }))}
        chosen={chosen}
        onChange={onChange}
      />
    </>
  )
}

const looks = {
  ready: { Icon: CircleCheck, ink: 'text-good' },
  changed: { Icon: TriangleAlert, ink: 'text-warn' },
  refused: { Icon: OctagonX, ink: 'text-bad' },
} as const

function TargetState({ target, ...acts }: TargetActs & { readonly target: ApplyTarget }): ReactNode {
  const { Icon, ink } = looks[target.state]
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1 pb-1 text-xs">
      <span title={target.why ?? undefined} className={`flex items-center gap-1 ${ink}`}>
        <Icon size={13} aria-hidden className="shrink-0" />
        {words.states[target.state]}
        {target.state === 'refused' && `: ${target.why}`}
      </span>
      {target.state === 'changed' && <Decisions path={target.path} {...acts} />}
      {target.state === 'refused' && <TakeDisk path={target.path} {...acts} />}
    </span>
  )
}

function Decisions({ path, ...acts }: TargetActs & { readonly path: VirtualPath }): ReactNode {
  return (
    <>
      <Button aria-label={words.joinLabel(path)} onClick={() => acts.onJoin(path)}>
        {words.join}
      </Button>
      <Button aria-label={words.decideLabel(path)} onClick={() => acts.onDecide(path)}>
        {words.decide}
      </Button>
      <TakeDisk path={path} {...acts} />
    </>
  )
}

function TakeDisk({ path, onTakeDisk }: TargetActs & { readonly path: VirtualPath }): ReactNode {
  return (
    <Button aria-label={words.takeDiskLabel(path)} onClick={() => onTakeDisk(path)}>
      {strings.drift.takeDisk}
    </Button>
  )
}
