import {
  ChevronDown,
  CircleAlert,
  ExternalLink,
  FoldVertical,
  Globe,
  KeyRound,
  Play,
  RotateCcw,
  Sparkles,
} from 'lucide-react'
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import { agentIn } from '#shared/model/models/agent-model.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useOpenLink } from '../../parts/use-open-link.ts'
import { type Command, useApp, useClient, useCommand, useProjectId, useUpdateUi } from '../../state/hooks/hooks.tsx'
import { type ErrorKind, errorKind } from '../../state/store/error-kind.ts'
import type { Delay } from '../../state/store/live.ts'
import type { RunEnd } from '../../state/store/timeline.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { useNow } from '../../ui/react/observers.ts'
import { actionsFor, addressIn, type ErrorAction } from './error-cause.ts'

const ThreadModelPicker = lazy(async () => ({
  default: (await import('../composer/model/thread-model-picker.tsx')).ThreadModelPicker,
}))

const labels = strings.chat.errors

interface ErrorCauseProps {
  readonly thread: ThreadState
  readonly end: RunEnd
  /** True if the thread has not continued since. */
  readonly last: boolean
}

/** Why a run failed, in one line, what helps, and what the provider said. */
export function ErrorCause({ thread, end, last }: ErrorCauseProps): ReactNode {
  const kind = errorKind(end.cause, end.reason, end.message)
  const isOwn = useApp((state) => state.info?.provider.baseUrl === null)
  const credit = kind === 'credit' ? (addressIn(end.message) ?? (isOwn ? labels.billingPage : null)) : null
  const going = useCommand()
  return (
    <div className="mt-1 flex flex-col gap-1.5">
      <Cause kind={kind} message={end.message} next={labels.next[kind]} kept={last ? labels.kept : undefined} />
      {last && (
        <div className="flex flex-wrap gap-2">
          {credit && <CreditLink url={credit} />}
          {end.refusedHosts.slice(0, mostHosts).map((host) => (
            <AllowHost key={host} host={host} thread={thread} going={going} />
          ))}
          {actionsFor(kind).map((action, index) => (
            <ErrorButton
              key={action}
              action={action}
              isFirst={index === 0 && !credit && end.refusedHosts.length === 0}
              thread={thread}
              going={going}
            />
          ))}
        </div>
      )}
      {going.refusal && <RefusalNotice refusal={going.refusal} />}
    </div>
  )
}

const mostHosts = 5

interface AllowHostProps {
  readonly host: string
  readonly thread: ThreadState
  readonly going: Command
}

/** Adds a host to what the external agent may reach, and goes on. */
function AllowHost({ host, thread, going }: AllowHostProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const name = agentIn(thread.model) ?? thread.agentType
  const allow = async (): Promise<void> => {
    await client.extensions.allowHosts({ name, hosts: [host] })
    await client.threads.continue({ projectId, threadId: thread.id })
  }
  return (
    <Button
      icon={<Globe size={14} aria-hidden />}
      title={labels.allowHostHint(name)}
      disabled={going.busy}
      onClick={() => void going.run(allow)}
    >
      {labels.allowHost(host)}
    </Button>
  )
}

interface RetryCardProps {
  readonly thread: ThreadState
  readonly delay: Extract<Delay, { kind: 'retrying' }>
}

/** A failed request that is tried again by itself, with the seconds until then. */
export function RetryCard({ thread, delay }: RetryCardProps): ReactNode {
  const now = useNow(true)
  const client = useClient()
  const projectId = useProjectId()
  const going = useCommand()
  const kind = errorKind(delay.cause ?? null, 'model_error', delay.reason)
  const seconds = Math.max(Math.ceil((delay.until - now) / 1000), 0)
  return (
    <section
      aria-label={labels.retrying}
      className="my-1 flex flex-col gap-1.5 rounded-lg border border-warn/40 px-3 py-2"
    >
      <Cause kind={kind} message={delay.reason} next={labels.again(seconds, delay.attempt)} />
      <div className="flex flex-wrap gap-2">
        <Button
          icon={<RotateCcw size={14} aria-hidden />}
          disabled={going.busy}
          onClick={() => void going.run(() => client.threads.retryNow({ projectId, threadId: thread.id }))}
        >
          {labels.retryNow}
        </Button>
        <SwitchModel
          thread={thread}
          going={going}
          after={() => client.threads.retryNow({ projectId, threadId: thread.id })}
        />
      </div>
      {going.refusal && <RefusalNotice refusal={going.refusal} />}
    </section>
  )
}

interface CauseProps {
  readonly kind: ErrorKind
  readonly message: string
  /** What to do, or what happens by itself. */
  readonly next: string
  /** What is not lost; absent where nothing could be. */
  readonly kept?: string | undefined
}

function Cause({ kind, message, next, kept }: CauseProps): ReactNode {
  return (
    <div className="flex items-start gap-2">
      <CircleAlert size={15} aria-hidden className="mt-0.5 shrink-0 text-bad" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold">{labels.cause[kind]}</p>
        <p className="tabular-nums">
          {next}
          {kept && <span className="text-muted"> {kept}</span>}
        </p>
        {message !== '' && (
          <details className="text-muted text-xs">
            <summary className="min-h-6 cursor-pointer content-center">{labels.details}</summary>
            <p className="whitespace-pre-wrap font-mono [overflow-wrap:anywhere]">
              <VisibleText text={message} />
            </p>
          </details>
        )}
      </div>
    </div>
  )
}

interface ErrorButtonProps {
  readonly action: ErrorAction
  readonly isFirst: boolean
  readonly thread: ThreadState
  readonly going: Command
}

function ErrorButton({ action, isFirst, thread, going }: ErrorButtonProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const updateUi = useUpdateUi()
  const target = { projectId, threadId: thread.id }
  const common = { tone: isFirst ? 'primary' : 'plain', disabled: going.busy } as const
  switch (action) {
    case 'key':
      return (
        <Button
          {...common}
          icon={<KeyRound size={14} aria-hidden />}
          onClick={() => updateUi((ui) => ({ ...ui, route: 'settings', settingsSection: 'models' }))}
        >
          {labels.editKey}
        </Button>
      )
    case 'agents':
      return (
        <Button
          {...common}
          icon={<KeyRound size={14} aria-hidden />}
          onClick={() => updateUi((ui) => ({ ...ui, route: 'settings', settingsSection: 'agents' }))}
        >
          {labels.editAgents}
        </Button>
      )
    case 'compact':
      return (
        <Button
          {...common}
          icon={<FoldVertical size={14} aria-hidden />}
          onClick={() => void going.run(() => client.threads.compact({ ...target, goOn: true }))}
        >
          {labels.compact}
        </Button>
      )
    case 'model':
      return (
        <SwitchModel tone={common.tone} thread={thread} going={going} after={() => client.threads.continue(target)} />
      )
    case 'retry':
    case 'continue':
      return (
        <Button
          {...common}
          icon={action === 'retry' ? <RotateCcw size={14} aria-hidden /> : <Play size={14} aria-hidden />}
          onClick={() => void going.run(() => client.threads.continue(target))}
        >
          {action === 'retry' ? labels.retryNow : strings.chat.continue}
        </Button>
      )
  }
}

interface SwitchModelProps {
  readonly tone?: 'primary' | 'plain'
  readonly thread: ThreadState
  readonly going: Command
  /** Goes on with the chosen model. */
  readonly after: () => Promise<unknown>
}

function SwitchModel({ tone = 'plain', thread, going, after }: SwitchModelProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const hasOthers = useApp((state) => state.info?.provider.models.some(({ id }) => id !== thread.model) ?? false)
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  if (!hasOthers) return null
  const choose = (model: string): Promise<boolean> =>
    going.run(async () => {
      await client.threads.configure({ projectId, threadId: thread.id, model })
      await after()
    })
  return (
    <>
      <Button
        ref={button}
        tone={tone}
        icon={<Sparkles size={14} aria-hidden />}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        disabled={going.busy}
        onClick={() => setOpen(!isOpen)}
      >
        {labels.switchModel}
        <ChevronDown size={13} aria-hidden />
      </Button>
      {isOpen && (
        <Suspense>
          <ThreadModelPicker
            anchor={button}
            thread={thread}
            chosen={thread.model}
            onChoose={(model) => model !== thread.model && void choose(model)}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}

/** Opens where credit is bought. */
function CreditLink({ url }: { url: string }): ReactNode {
  const openLink = useOpenLink()
  return (
    <Button tone="primary" icon={<ExternalLink size={14} aria-hidden />} title={url} onClick={() => openLink(url)}>
      {labels.addCredit(new URL(url).host)}
    </Button>
  )
}
