import { ChevronRight, FileInput } from 'lucide-react'
import type { ReactNode } from 'react'
import type { InputNote } from '#shared/model/input-note.ts'
import { strings } from '../strings/strings.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { reachable } from '../ui/react/elements.tsx'

/** The files that came with a message: where the agent finds each, and what it was told about it. */
export function GivenInputs({ inputs }: { inputs: readonly InputNote[] }): ReactNode {
  if (inputs.length === 0) return null
  return (
    <ul aria-label={strings.attachments.given} className="mt-2 flex flex-col gap-1">
      {inputs.map(({ path, about, detail }) => (
        <li key={path} className="rounded-md border border-line bg-raised">
          <details className="group">
            <summary className="flex min-h-7 list-none items-center gap-1.5 px-2">
              <ChevronRight size={14} aria-hidden className="shrink-0 text-faint group-open:rotate-90" />
              <FileInput size={14} aria-hidden className="shrink-0 text-muted" />
              <span className="min-w-0 truncate font-mono text-xs">
                <VisibleText text={path} />
              </span>
              <span className="ml-auto min-w-0 shrink-[2] truncate pl-2 text-muted text-xs tabular-nums">{about}</span>
            </summary>
            <div className="relative border-line border-t px-2 py-1.5">
              <pre
                {...reachable}
                className="max-h-60 overflow-auto whitespace-pre-wrap pr-8 font-mono text-muted text-xs [overflow-wrap:anywhere]"
              >
                <VisibleText text={detail} />
              </pre>
            </div>
          </details>
        </li>
      ))}
    </ul>
  )
}
