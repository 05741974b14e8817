import { ArrowUpCircle, CircleCheck, CloudDownload, RefreshCw, TriangleAlert } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import type { NewVersion, UpdateState } from '#shared/contract/views/updates.ts'
import { formatAgo, formatPercent } from '#shared/text/format.ts'
import { CommandToCopy } from '../parts/command-to-copy.tsx'
import { Markdown } from '../parts/markdown/markdown.tsx'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { type Command, useApp, useClient, useCommand } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'

const labels = strings.about

/** Whether there is a newer version, what is new in it, and what a person can do about it. */
export function UpdateCard(): ReactNode {
  const client = useClient()
  const update = useApp((state) => state.update)
  const command = useCommand()
  const titleId = useId()
  if (!update) return null
  const { state, isAutomatic } = update
  return (
    <section aria-labelledby={titleId} className="flex flex-col gap-3 border-line border-t pt-4">
      <h3 id={titleId} className="font-semibold">
        {labels.updates}
      </h3>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Picture state={state} />
        <div role="status" className="min-w-48 flex-1">
          <p>{describe(state)}</p>
          {detailOf(state) !== '' && <p className="text-muted">{detailOf(state)}</p>}
        </div>
        <Act state={state} command={command} />
      </div>
      {state.kind === 'managed' && <CommandToCopy command={state.command} about={labels.managedHow} />}
      {state.kind === 'downloading' && <Progress share={state.share} label={describe(state)} />}
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
      {'found' in state && state.found && <Notes found={state.found} />}
      {state.kind !== 'managed' && (
        <label className="flex min-h-11 cursor-pointer items-center gap-3 rounded-lg border border-line px-3 py-1.5">
          <input
            type="checkbox"
            role="switch"
            aria-checked={isAutomatic}
            checked={isAutomatic}
            onChange={(event) => void command.run(() => client.updates.switch({ on: event.target.checked }))}
            className="size-4 accent-accent-solid"
          />
          <span>
            <span className="block">{labels.automatic}</span>
            <span className="block text-muted text-xs">{labels.automaticHint}</span>
          </span>
        </label>
      )}
    </section>
  )
}

const pictures = {
  managed: { Icon: CloudDownload, colour: 'text-muted' },
  current: { Icon: CircleCheck, colour: 'text-good' },
  checking: { Icon: RefreshCw, colour: 'text-muted' },
  downloading: { Icon: CloudDownload, colour: 'text-accent' },
  ready: { Icon: ArrowUpCircle, colour: 'text-accent' },
  waiting: { Icon: ArrowUpCircle, colour: 'text-warn' },
  installing: { Icon: ArrowUpCircle, colour: 'text-accent' },
  failed: { Icon: TriangleAlert, colour: 'text-warn' },
} as const

function Picture({ state }: { state: UpdateState }): ReactNode {
  const { Icon, colour } = pictures[state.kind]
  return <Icon size={18} aria-hidden className={`shrink-0 ${colour}`} />
}

/** The state in one sentence. */
function describe(state: UpdateState): string {
  switch (state.kind) {
    case 'managed':
      return labels.managed[state.by]
    case 'current':
      return state.checkedAt === null ? labels.never : labels.current(formatAgo(state.checkedAt, Date.now()))
    case 'checking':
      return labels.checking
    case 'downloading':
      return labels.downloading(state.found.version, formatPercent(state.share))
    case 'ready':
      return labels.ready(state.found.version)
    case 'waiting':
      return labels.waiting(state.found.version, state.working)
    case 'installing':
      return labels.installing(state.found.version)
    case 'failed':
      return labels.failed(state.found?.version ?? null)
  }
}

/** Empty for none. */
function detailOf(state: UpdateState): string {
  if (state.kind === 'failed') return state.detail
  return state.kind === 'ready' ? labels.readyHint : ''
}

interface ActProps {
  readonly state: UpdateState
  readonly command: Command
}

/** The one thing to do in a state. */
function Act({ state, command }: ActProps): ReactNode {
  const { updates } = useClient()
  const act = (run: () => Promise<unknown>): void => void command.run(run)
  switch (state.kind) {
    case 'current':
    case 'failed':
      return (
        <Button
          icon={<RefreshCw size={14} aria-hidden />}
          disabled={command.busy}
          onClick={() => act(() => updates.check())}
        >
          {state.kind === 'failed' ? labels.retry : labels.check}
        </Button>
      )
    case 'ready':
      return (
        <Button tone="primary" disabled={command.busy} onClick={() => act(() => updates.install())}>
          {labels.install}
        </Button>
      )
    case 'waiting':
      return <Button onClick={() => act(() => updates.wait())}>{labels.doNotWait}</Button>
    case 'managed':
    case 'checking':
    case 'downloading':
    case 'installing':
      return null
  }
}

function Progress({ share, label }: { share: number; label: string }): ReactNode {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuenow={Math.floor(share * 100)}
      className="h-1 overflow-hidden rounded-full bg-line"
    >
      <span aria-hidden className="block h-full bg-accent-solid" style={{ width: `${share * 100}%` }} />
    </div>
  )
}

function Notes({ found: { version, notes } }: { found: NewVersion }): ReactNode {
  if (notes.trim() === '') return null
  return (
    <div className="rounded-lg border border-line bg-raised px-4 py-3">
      <h4 className="mb-1 font-medium">{labels.notes(version)}</h4>
      <div className="max-h-80 overflow-auto">
        <Markdown text={notes} />
      </div>
    </div>
  )
}
