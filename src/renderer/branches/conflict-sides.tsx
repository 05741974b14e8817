import type { ReactNode } from 'react'
import type { ConflictSides } from '#shared/contract/views.ts'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { ConflictHunks } from './conflict-hunks.tsx'
import { ResultEditor } from './conflict-result.tsx'
import { WholeFiles } from './conflict-whole.tsx'
import { useConflictResult } from './use-conflict-result.ts'

const labels = strings.branches

export interface ConflictSidesProps {
  readonly sides: ConflictSides
  /** Who changed this side last; empty where nobody knows. */
  readonly oursBy: string
  /** Whose the other side is: a branch, or the disk. */
  readonly theirs: string
  readonly busy: boolean
  readonly onSave: (text: string) => void
}

/** Base and both sides of one file, place by place, and an editable result that starts from one of them. */
export function ConflictSidesView({ sides, oursBy, theirs: other, busy, onSave }: ConflictSidesProps): ReactNode {
  const { path, conflict, ours, theirs } = sides
  const isText = ours !== null || theirs !== null
  const { parts, open, choices, choose, chooseWhole, result, setResult } = useConflictResult(sides)
  return (
    <section
      aria-label={labels.conflictTitle(path)}
      className="@container flex flex-col gap-2 border-line border-b p-3"
    >
      <Notice
        tone="warning"
        title={labels.conflictTitle(path)}
        {...(conflict && { detail: labels.reasons[conflict.reason] })}
      />
      {open > 0 && <ConflictHunks parts={parts} oursBy={oursBy} other={other} choices={choices} onChoose={choose} />}
      <WholeFiles sides={sides} oursBy={oursBy} other={other} openAtFirst={open === 0} />
      {isText && (
        <ResultEditor path={path} value={result} busy={busy} onChange={setResult} onSave={onSave}>
          {open !== 1 && (
            <span className="flex gap-1">
              <Whole label={labels.allOurs} text={ours} result={result} onChoose={() => chooseWhole('ours')} />
              <Whole label={labels.allTheirs} text={theirs} result={result} onChoose={() => chooseWhole('theirs')} />
              {open > 0 && <Button onClick={() => chooseWhole('both')}>{labels.allBoth}</Button>}
            </span>
          )}
        </ResultEditor>
      )}
    </section>
  )
}

interface WholeProps {
  readonly label: string
  readonly text: string | null
  readonly result: string
  readonly onChoose: () => void
}

function Whole({ label, text, result, onChoose }: WholeProps): ReactNode {
  return (
    <Button disabled={text === null} aria-pressed={result === text} onClick={onChoose}>
      {label}
    </Button>
  )
}
