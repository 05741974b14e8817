import type { ReactNode } from 'react'
import type { CheckResult } from '#shared/model/check.ts'
import { checkDetails } from '../../strings/later/check-details.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { reachable } from '../../ui/react/elements.tsx'

const labels = checkDetails.result

interface CheckResultProps {
  readonly result: CheckResult
  /** When it was stored, in words; null when that is not known. */
  readonly at: string | null
}

/** What one run of a check said: the facts in one line, what a person must know, and all that it printed. */
export function CheckResultView({ result, at }: CheckResultProps): ReactNode {
  const { check, exitCode, durationMs, tree, note, dropped, output } = result
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <p className="text-muted text-xs tabular-nums">
        {labels.facts(exitCode, durationMs)} · <span title={labels.treeHint(tree)}>{labels.tree(tree)}</span>
        {at !== null && ` · ${at}`}
      </p>
      {note !== '' && (
        <p className="text-warn [overflow-wrap:anywhere]">
          <VisibleText text={note} />
        </p>
      )}
      {dropped.length > 0 && (
        <p className="text-warn [overflow-wrap:anywhere]">
          <VisibleText text={labels.dropped(dropped)} />
        </p>
      )}
      <section aria-label={`${labels.output}: ${check}`}>
        <pre
          {...reachable}
          className="max-h-[46vh] overflow-auto whitespace-pre-wrap rounded-md border border-line bg-panel px-2 py-1 font-mono text-xs [overflow-wrap:anywhere]"
        >
          {output.trim() === '' ? <span className="text-muted">{labels.noOutput}</span> : <VisibleText text={output} />}
        </pre>
      </section>
    </div>
  )
}
