import type { ReactNode } from 'react'
import type { ActionRequest } from '#shared/model/calls/interrupt.ts'
import { printableJson } from '#shared/text/control-characters.ts'
import { changedByText } from '#shared/tools/card-words.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { reachable } from '../../ui/react/elements.tsx'

/** Says that a hook gave the call these arguments, and which ones the agent had sent. Nothing for a call as it was sent. */
export function ChangedBy({ request: { changed } }: { readonly request: ActionRequest }): ReactNode {
  if (!changed) return null
  return (
    <div className="flex flex-col gap-1 text-warn text-xs [overflow-wrap:anywhere]">
      <p>
        <VisibleText text={changedByText(changed.by)} />
      </p>
      <pre
        className="max-h-72 overflow-auto whitespace-pre-wrap rounded bg-panel p-2 font-mono text-muted [overflow-wrap:anywhere]"
        {...reachable}
      >
        <VisibleText text={printableJson(changed.given, 1)} />
      </pre>
    </div>
  )
}
