import { Webhook } from 'lucide-react'
import type { ReactNode } from 'react'
import { noteText, type StageNotes } from '#shared/model/calls/hooks.ts'
import { hookStrings } from '../../strings/later/hooks.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { withKeys } from '../../ui/react/elements.tsx'

/** What hooks and stages said, where they said it. */
export function StageNote({ said }: { said: StageNotes }): ReactNode {
  const isWarning = said.notes.some(({ verdict, problem }) => verdict === 'refuse' || problem !== undefined)
  return (
    <article aria-label={hookStrings.said} className="flex gap-2 px-1 py-1 text-muted">
      <Webhook size={14} aria-hidden className={`mt-1 shrink-0 ${isWarning ? 'text-warn' : ''}`} />
      <div className="min-w-0 [overflow-wrap:anywhere]">
        {withKeys(said.notes).map(({ key, item }) => (
          <p key={key}>
            <VisibleText text={noteText(item)} />
          </p>
        ))}
      </div>
    </article>
  )
}
