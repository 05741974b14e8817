import { lazy, type ReactNode, Suspense, useId, useMemo } from 'react'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { conflictStrings } from '../../strings/later/conflicts.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextArea } from '../../ui/controls/field.tsx'
import { decisionText } from './conflict-hunks.tsx'
import { type ConflictResult, canBeSaved, countDecided, type ResultPart, typeInto } from './conflict-result.ts'

const labels = conflictStrings
const CodeEditor = lazy(async () => ({ default: (await import('../../ui/code/code-editor.tsx')).CodeEditor }))

interface ResultEditorProps {
  readonly path: VirtualPath
  readonly result: ConflictResult
  readonly busy: boolean
  /** True if the conflict can also be settled by taking a side as it is. */
  readonly canDecide: boolean
  readonly onChange: (result: ConflictResult) => void
  readonly onSave: () => void
  /** The buttons that replace the whole result. */
  readonly children: ReactNode
}

/** The text that settles a conflict. The choices make it, and a person can edit it. Each conflict's lines are marked. */
export function ResultEditor({
  path,
  result,
  busy,
  canDecide,
  onChange,
  onSave,
  children,
}: ResultEditorProps): ReactNode {
  const hint = useId()
  const ready = canBeSaved(result)
  const marks = useMemo(
    () =>
      result.parts.map((part, place) => ({
        from: part.from,
        to: part.to,
        label: labels.mark(place + 1, decisionText(part)),
        look: lookOf(part),
      })),
    [result.parts],
  )
  const change = (text: string): void => {
    if (text !== result.text) onChange(typeInto(result, text))
  }
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <h4 className="font-semibold">{labels.result}</h4>
        {children}
        <span id={hint} className="min-w-0 flex-1 basis-40 text-right text-muted">
          {ready ? labels.resultHint : whyNot(result, canDecide)}
        </span>
        <Button tone="primary" disabled={busy || !ready} aria-describedby={hint} onClick={onSave}>
          {labels.saveResult}
        </Button>
      </div>
      <div className="h-80 min-h-24 resize-y overflow-hidden rounded-md border border-line bg-raised">
        <Suspense
          fallback={
            <TextArea
              aria-label={labels.result}
              rows={8}
              className="font-mono"
              value={result.text}
              onChange={(event) => change(event.target.value)}
            />
          }
        >
          <CodeEditor label={labels.result} path={path} value={result.text} marks={marks} onChange={change} />
        </Suspense>
      </div>
    </div>
  )
}

function whyNot(result: ConflictResult, canDecide: boolean): string {
  if (result.parts.length > 0) return labels.decideFirst(result.parts.length - countDecided(result))
  return canDecide ? labels.decideWhole : labels.editFirst
}

function lookOf({ choice, typed }: ResultPart): string {
  if (typed) return 'conflict-typed'
  if (choice === null) return 'conflict-open'
  return choice === 'ours' || choice === 'theirs' ? `conflict-${choice}` : 'conflict-both'
}
