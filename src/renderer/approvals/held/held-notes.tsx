import { Boxes, CornerDownRight, Globe, KeyRound, RotateCcw, Users } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ActionRequest } from '#shared/model/interrupt.ts'
import { commandLine, grantableHosts, type HeldRequest } from '#shared/tools/held-choices.ts'
import { effectDetails } from '../../strings/later/effect-details.ts'
import { Button } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'

const labels = effectDetails

interface NoteProps {
  readonly icon: ReactNode
  readonly tone?: 'muted' | 'warn'
  /** True for a line with a button. */
  readonly beside?: boolean
  readonly children: ReactNode
}

/** One fact about a run, as a line. */
function Note({ icon, tone = 'muted', beside = false, children }: NoteProps): ReactNode {
  return (
    <div
      className={`flex gap-2 text-xs [&>svg]:shrink-0 ${beside ? 'items-center' : 'items-start [&>svg]:mt-0.5'} ${tone === 'warn' ? 'text-warn' : 'text-muted'}`}
    >
      {icon}
      <div className="min-w-0 [overflow-wrap:anywhere]">{children}</div>
    </div>
  )
}

interface RunNotesProps {
  readonly request: HeldRequest
  /** The call that this one ran on top of; null for none. */
  readonly before: ActionRequest | null
  /** True when that call was not kept as a whole, so that this one has to run again. */
  readonly stale: boolean
}

/** What a person must know before they read what the run did: why they see it again, and what it built on. */
export function RunNotes({ request, before, stale }: RunNotesProps): ReactNode {
  const { ran_again: again, after } = request.effects
  return (
    <>
      {again !== undefined && (
        <Note icon={<RotateCcw size={13} aria-hidden />} tone="warn">
          <VisibleText text={again} />
        </Note>
      )}
      {stale && (
        <Note icon={<RotateCcw size={13} aria-hidden />} tone="warn">
          {labels.stale}
        </Note>
      )}
      {after !== undefined && before && (
        <Note icon={<CornerDownRight size={13} aria-hidden />}>
          <VisibleText text={labels.after(commandLine(before))} />
        </Note>
      )}
    </>
  )
}

interface OutsideNotesProps {
  readonly request: HeldRequest
  readonly ready: boolean
  /** Null where nothing can run again. */
  readonly onGrant: ((hosts: readonly string[]) => void) | null
}

/** What the run touched beside files: the environment, hosts that it could not reach, and keys that it printed. */
export function OutsideNotes({ request, ready, onGrant }: OutsideNotesProps): ReactNode {
  const { hosts_refused: refused, ignored_changes: ignored, secrets, tasks, hidden_secrets: hidden } = request.effects
  const hosts = grantableHosts(request.effects)
  const [first] = hosts
  return (
    <>
      {ignored > 0 && <Note icon={<Boxes size={13} aria-hidden />}>{labels.environment(ignored)}</Note>}
      {secrets.length > 0 && (
        <Note icon={<KeyRound size={13} aria-hidden />} tone="warn">
          {labels.secrets(secrets.length)}
        </Note>
      )}
      {hidden && (
        <Note icon={<KeyRound size={13} aria-hidden />} tone="warn">
          {labels.hiddenSecrets}
        </Note>
      )}
      {tasks !== undefined && <Note icon={<Users size={13} aria-hidden />}>{labels.tasks(tasks)}</Note>}
      {refused.length > 0 && (
        <Note icon={<Globe size={13} aria-hidden />} tone="warn" beside>
          <span className="mr-2">
            {labels.refused} <VisibleText text={refused.join(', ')} />
          </span>
          {first !== undefined && onGrant && (
            <Button className="my-0.5" disabled={!ready} onClick={() => onGrant(hosts)}>
              {hosts.length === 1 ? labels.allowHost(first) : labels.allowHosts(hosts.length)}
            </Button>
          )}
        </Note>
      )}
    </>
  )
}
