import { Copy, Play, Plus, SquareTerminal } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { AgentTrial, KnownAgent } from '#shared/contract/views/extensions.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import { copyText } from '../../parts/copy-text.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useClient, useCommand, useUpdateUi } from '../../state/hooks/hooks.tsx'
import { externalAgentStrings } from '../../strings/later/extensions.ts'
import { Button } from '../../ui/controls/button.tsx'
import { toastNote } from '../../ui/controls/toast.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'

const labels = externalAgentStrings

interface AgentRowProps {
  readonly agent: KnownAgent
  readonly projectId: ProjectId
  /** Writes its definition. */
  readonly onAdd: () => Promise<unknown>
  readonly onAdded: () => void
}

/** An external agent: what it would have, whether it is there, and buttons that add it and try it. */
export function AgentRow({ agent, projectId, onAdd, onAdded }: AgentRowProps): ReactNode {
  const client = useClient()
  const adding = useCommand()
  const trying = useCommand()
  const [trial, setTrial] = useState<AgentTrial | null>(null)
  const refusal = adding.refusal ?? trying.refusal
  const { name, title, program, install, isDefined, hosts, home } = agent

  async function add(): Promise<void> {
    if (!(await adding.run(onAdd))) return
    toastNote(labels.added(title))
    onAdded()
  }
  async function tryIt(): Promise<void> {
    setTrial(null)
    await trying.run(async () => setTrial(await client.extensions.tryAgent({ projectId, name })))
  }

  return (
    <li className="flex flex-col gap-1.5 px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 basis-48 [overflow-wrap:anywhere]">
          <span className="block font-medium">{title}</span>
          <span className="block text-muted text-xs">
            <VisibleText text={program ?? labels.missing} />
          </span>
        </span>
        {isDefined && (
          <Button
            aria-label={labels.tryNamed(title)}
            icon={<Play size={14} aria-hidden />}
            disabled={trying.busy}
            onClick={() => void tryIt()}
          >
            {trying.busy ? labels.trying : labels.tryIt}
          </Button>
        )}
        {!isDefined && program !== null && (
          <Button
            aria-label={labels.addNamed(title)}
            icon={<Plus size={14} aria-hidden />}
            disabled={adding.busy}
            onClick={() => void add()}
          >
            {labels.add}
          </Button>
        )}
        {!isDefined && program === null && (
          <Button
            tone="quiet"
            aria-label={labels.copyNamed(title)}
            icon={<Copy size={13} aria-hidden />}
            onClick={() => copyText(install)}
          >
            {labels.copy}
          </Button>
        )}
      </div>
      {program !== null && (
        <p className="text-muted text-xs [overflow-wrap:anywhere]">
          <VisibleText text={labels.opens(hosts, home)} />
        </p>
      )}
      <p aria-live="polite" className={trial?.logins ? 'text-warn' : 'text-good'}>
        {trial && <VisibleText text={labels.trial(trial)} />}
      </p>
      <Logins logins={trial?.logins ?? []} />
      {refusal && <RefusalNotice refusal={refusal} />}
    </li>
  )
}

/** One button for each way to log in that is done in a terminal. */
function Logins({ logins }: { readonly logins: NonNullable<AgentTrial['logins']> }): ReactNode {
  const updateUi = useUpdateUi()
  const ways = logins.flatMap(({ text, command }) => (command === null ? [] : [{ text, command }]))

  return (
    <div className="flex flex-wrap gap-2 empty:hidden">
      {ways.map(({ text, command }) => (
        <Button
          key={command}
          icon={<SquareTerminal size={14} aria-hidden />}
          title={labels.logInHint(command)}
          onClick={() => updateUi((ui) => ({ ...ui, route: 'workspace', bottom: true, typed: command }))}
        >
          {ways.length === 1 ? labels.logIn : labels.logInWith(text)}
        </Button>
      ))}
    </div>
  )
}
