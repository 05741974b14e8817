import { ChevronUp } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { type OutputLine, outputLines, printedLines } from '#shared/text/command-output.ts'
import { showsOutput, type TriedRequest } from '#shared/tools/card.ts'
import { cardStrings } from '../../strings/later/card.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { reachable, withKeys } from '../../ui/react/elements.tsx'

const labels = cardStrings

/** Lines at the end of a long output that are shown at first. The end says how a command went. */
const shownAtFirst = 12
/** So many lines more are not worth a button. */
const spare = 3

/** What a tried call printed, or why it failed. A long output shows its end, and the rest on demand. */
export function CardOutput({ request }: { request: TriedRequest }): ReactNode {
  const { output, secrets, exit_code: code } = request.effects
  const lines = useMemo(() => printedLines(outputLines(output, secrets), code), [output, secrets, code])
  const [all, setAll] = useState(false)
  const folds = lines.length > shownAtFirst + spare
  const shown = folds && !all ? lines.slice(-shownAtFirst) : lines
  if (!showsOutput(request)) return null
  if (lines.length === 0) return <p className="text-muted">{labels.noOutput}</p>
  return (
    <section aria-label={labels.output} className="overflow-hidden rounded-md border border-line bg-panel">
      {folds && (
        <button
          type="button"
          aria-expanded={all}
          onClick={() => setAll(!all)}
          className="flex min-h-6 w-full items-center gap-1.5 border-line border-b px-2 text-left text-muted text-xs hover:bg-hover"
        >
          <ChevronUp size={13} aria-hidden className={all ? 'rotate-180' : undefined} />
          {all ? labels.fewer : labels.earlier(lines.length - shownAtFirst)}
        </button>
      )}
      <pre
        {...reachable}
        className="max-h-96 overflow-auto whitespace-pre-wrap px-2 py-1.5 font-mono text-xs [direction:ltr] [overflow-wrap:anywhere]"
      >
        {withKeys(shown).map(({ key, item }) => (
          <PrintedLine key={key} line={item} />
        ))}
      </pre>
    </section>
  )
}

function PrintedLine({ line }: { line: OutputLine }): ReactNode {
  return (
    <>
      {withKeys(line).map(({ key, item: { text, secret } }) =>
        secret ? (
          <mark
            key={key}
            title={labels.secret}
            className="rounded-sm bg-warn-soft text-warn underline decoration-dotted underline-offset-2"
          >
            <VisibleText text={text} />
          </mark>
        ) : (
          <VisibleText key={key} text={text} />
        ),
      )}
      {'\n'}
    </>
  )
}
