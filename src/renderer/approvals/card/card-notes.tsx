import { Boxes, CornerDownRight, EyeOff, GitCommitHorizontal, Globe, KeyRound, RotateCcw, Users } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Interrupt } from '#shared/model/calls/interrupt.ts'
import { grantableHosts, type TriedRequest } from '#shared/tools/card.ts'
import { type CardNote, notesAfter, notesBefore } from '#shared/tools/card-words.ts'
import { useApp } from '../../state/hooks/hooks.tsx'
import { threadOf } from '../../state/store/selectors.ts'
import { cardStrings } from '../../strings/later/card.ts'
import { Button } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'

const labels = cardStrings

const icons = {
  again: RotateCcw,
  before: CornerDownRight,
  environment: Boxes,
  commits: GitCommitHorizontal,
  missed: EyeOff,
  secret: KeyRound,
  tasks: Users,
  hosts: Globe,
} as const satisfies Record<CardNote['about'], unknown>

/** One fact about a tried call, as a line. */
function Note({ about, text, warns, children }: CardNote & { readonly children?: ReactNode }): ReactNode {
  const Icon = icons[about]
  return (
    <div className={`flex items-start gap-2 text-xs ${warns ? 'text-warn' : 'text-muted'}`}>
      <Icon size={13} aria-hidden className="mt-0.5 shrink-0" />
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 [overflow-wrap:anywhere]">
        <span className="min-w-0">
          <VisibleText text={text} />
        </span>
        {children}
      </div>
    </div>
  )
}

/** What a person must know before they read what the call did. */
export function NotesBefore({ interrupt, request }: { interrupt: Interrupt; request: TriedRequest }): ReactNode {
  const { after } = request.effects
  /** True when the call before was not kept as a whole, so that this one has to run again. */
  const isStale = useApp((state) => {
    const decision = after && threadOf(state, interrupt.threadId)?.calls.get(after)?.decision
    return decision ? decision.type !== 'approve' || decision.paths !== undefined : false
  })
  return (
    <>
      {notesBefore(interrupt, request).map((note) => (
        <Note key={note.about} {...note} />
      ))}
      {isStale && <Note about="again" text={labels.stale} warns />}
    </>
  )
}

interface NotesAfterProps {
  readonly request: TriedRequest
  readonly ready: boolean
  /** Null where nothing can run again. */
  readonly onGrant: ((hosts: readonly string[]) => void) | null
}

/** What the call touched beside files and output. Hosts that it could not reach may be granted. */
export function NotesAfter({ request, ready, onGrant }: NotesAfterProps): ReactNode {
  const hosts = grantableHosts(request.effects)
  const [first] = hosts
  return notesAfter(request).map((note) => (
    <Note key={note.text} {...note}>
      {note.about === 'hosts' && first !== undefined && onGrant && (
        <Button disabled={!ready} onClick={() => onGrant(hosts)}>
          {hosts.length === 1 ? labels.allowHost(first) : labels.allowHosts(hosts.length)}
        </Button>
      )}
    </Note>
  ))
}
