import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import type { ConflictSides } from '#shared/contract/views.ts'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { TextArea } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { reachable } from '../ui/reachable.ts'
import { VisibleText } from '../ui/visible-text-view.tsx'
import { ConflictHunks } from './conflict-hunks.tsx'
import { conflictParts, joinParts, type Side } from './conflict-text.ts'

const words = strings.branches
const CodeEditor = lazy(async () => ({ default: (await import('../ui/code-editor.tsx')).CodeEditor }))

export interface ConflictSidesProps {
  readonly sides: ConflictSides
  /** Whose the other side is: a branch, or the disk. */
  readonly theirs: string
  readonly busy: boolean
  readonly onSave: (text: string) => void
}

/** Base and both sides of one file, and an editable result that starts from one of them. */
export function ConflictSidesView({ sides, theirs: other, busy, onSave }: ConflictSidesProps): ReactNode {
  const { path, conflict, base, ours, theirs } = sides
  const bothAreText = ours !== null && theirs !== null
  const parts = useMemo(
    () => (ours !== null && theirs !== null ? conflictParts(base ?? '', ours, theirs) : []),
    [base, ours, theirs],
  )
  const open = parts.filter((part) => part.kind === 'open').length
  const [choices, setChoices] = useState<readonly Side[]>(() => Array.from({ length: open }, () => 'ours'))
  const [result, setResult] = useState(() => (bothAreText ? joinParts(parts, choices) : (ours ?? theirs ?? '')))
  const isText = ours !== null || theirs !== null
  function choose(next: readonly Side[]): void {
    setChoices(next)
    setResult(joinParts(parts, next))
  }
  function chooseWhole(side: Side, text: string | null): void {
    setChoices(choices.map(() => side))
    setResult(
      text ??
        joinParts(
          parts,
          Array.from({ length: open }, () => side),
        ),
    )
  }
  return (
    <section aria-label={words.conflictTitle(path)} className="flex flex-col gap-2 border-line border-b p-3">
      <Notice
        tone="warning"
        title={words.conflictTitle(path)}
        {...(conflict && { detail: words.reasons[conflict.reason] })}
      />
      <div className="grid gap-2 md:grid-cols-3">
        <SideText label={words.base} text={base} />
        <SideText label={words.ours} text={ours} />
        <SideText label={words.theirs(other)} text={theirs} />
      </div>
      {isText && (
        <>
          {open > 0 && <ConflictHunks parts={parts} choices={choices} onChoose={choose} />}
          <div className="flex flex-wrap items-center gap-2">
            {open !== 1 && (
              <>
                <Button
                  disabled={ours === null}
                  aria-pressed={result === ours}
                  onClick={() => chooseWhole('ours', ours)}
                >
                  {words.allOurs}
                </Button>
                <Button
                  disabled={theirs === null}
                  aria-pressed={result === theirs}
                  onClick={() => chooseWhole('theirs', theirs)}
                >
                  {words.allTheirs}
                </Button>
                <Button disabled={!bothAreText} onClick={() => chooseWhole('both', null)}>
                  {words.allBoth}
                </Button>
              </>
            )}
            <span className="text-muted">{words.resultHint}</span>
            <Button tone="primary" className="ml-auto" disabled={busy} onClick={() => onSave(result)}>
              {words.saveResult}
            </Button>
          </div>
          <div className="max-h-80 overflow-auto rounded-md border border-line">
            <Suspense
              fallback={
                <TextArea
                  aria-label={words.result}
                  rows={8}
                  value={result}
                  onChange={(event) => setResult(event.target.value)}
                />
              }
            >
              <CodeEditor label={words.result} path={path} value={result} onChange={setResult} />
            </Suspense>
          </div>
        </>
      )}
    </section>
  )
}

/** Characters of one side that are shown, so that a large file does not hold up the page; the result holds all. */
const shownAtMost = 100_000

function SideText({ label, text }: { label: string; text: string | null }): ReactNode {
  return (
    <figure className="min-w-0 rounded-md border border-line">
      <figcaption className="border-line border-b bg-panel px-2 py-1 font-medium">{label}</figcaption>
      {text === null ? (
        <p className="px-2 py-1 text-muted">{words.absent}</p>
      ) : (
        <section {...reachable} aria-label={label} className="max-h-56 overflow-auto px-2 py-1">
          <pre className="font-mono text-xs">
            <VisibleText text={text.slice(0, shownAtMost)} />
            {text.length > shownAtMost && <span className="block text-muted">{words.restNotShown}</span>}
          </pre>
        </section>
      )}
    </figure>
  )
}
