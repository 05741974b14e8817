import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import type { ConflictSides } from '#shared/contract/views/branches.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { useProjectId } from '../state/hooks/hooks.tsx'
import { useAuthorNames } from '../state/hooks/use-author-names.ts'
import { useQuery } from '../state/hooks/use-query.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { TextArea } from '../ui/controls/field.tsx'
import { Notice } from '../ui/controls/notice.tsx'
import { toastWithUndo } from '../ui/controls/toast.ts'
import { ConflictHunks, WholeFiles } from './conflict-hunks.tsx'
import { type ConflictPart, conflictParts, joinParts, type Side } from './conflict-text.ts'
import type { BranchActions } from './use-branch-actions.ts'

const labels = strings.branches
const CodeEditor = lazy(async () => ({ default: (await import('../ui/code/code-editor.tsx')).CodeEditor }))

interface ConflictViewProps {
  readonly branch: Branch
  readonly path: VirtualPath
  readonly actions: BranchActions
  readonly onDone: () => void
}

/** Loads both sides of a file in conflict and saves the person's result. */
export function ConflictView({ branch, path, actions, onDone }: ConflictViewProps): ReactNode {
  const projectId = useProjectId()
  const oursBy = useAuthorNames(branch.parentId ?? branch.id)(path)
  const [sides, reload] = useQuery('branches.conflict', { projectId, branchId: branch.id, path })
  if (sides.state === 'failed') return <RefusalNotice refusal={sides.refusal} onRetry={reload} />
  if (!sides.value) return <Waiting label={strings.common.loading} />
  async function save(text: string): Promise<void> {
    if (await actions.resolve(path, text)) onDone()
  }
  return (
    <ConflictSidesView
      sides={sides.value}
      oursBy={oursBy}
      theirs={branch.name}
      busy={actions.command.busy}
      onSave={save}
    />
  )
}

interface ConflictSidesProps {
  readonly sides: ConflictSides
  /** The name of the agent or person who changed the current side last; empty if unknown. */
  readonly oursBy: string
  /** The name of the incoming side: a branch, or the disk. */
  readonly theirs: string
  readonly busy: boolean
  readonly onSave: (text: string) => void
}

/** The base, current and incoming version of a file, conflict by conflict, and a result to edit. */
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

interface ResultEditorProps {
  readonly path: VirtualPath
  readonly value: string
  readonly busy: boolean
  readonly onChange: (value: string) => void
  readonly onSave: (value: string) => void
  /** The buttons that replace the whole result. */
  readonly children: ReactNode
}

/** The text that resolves a conflict. The choices make it, and a person can edit it. */
function ResultEditor({ path, value, busy, onChange, onSave, children }: ResultEditorProps): ReactNode {
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        {children}
        <span className="min-w-0 flex-1 basis-40 text-muted">{labels.resultHint}</span>
        <Button tone="primary" disabled={busy} onClick={() => onSave(value)}>
          {labels.saveResult}
        </Button>
      </div>
      <div className="max-h-80 overflow-auto rounded-md border border-line">
        <Suspense
          fallback={
            <TextArea
              aria-label={labels.result}
              rows={8}
              value={value}
              onChange={(event) => onChange(event.target.value)}
            />
          }
        >
          <CodeEditor label={labels.result} path={path} value={value} onChange={onChange} />
        </Suspense>
      </div>
    </>
  )
}

interface ConflictResolution {
  readonly parts: readonly ConflictPart[]
  /** The number of parts that a person must choose. */
  readonly open: number
  /** The choice for each open part, in order. */
  readonly choices: readonly Side[]
  choose(choices: readonly Side[]): void
  /** Takes one side for the whole file, even if the conflict has no lines. */
  chooseWhole(side: Side): void
  readonly result: string
  setResult(text: string): void
}

/** The choices for the open parts, and the resulting text until a person edits it. */
function useConflictResult({ base, ours, theirs }: ConflictSides): ConflictResolution {
  const parts = useMemo(
    () => (ours !== null && theirs !== null ? conflictParts(base ?? '', ours, theirs) : []),
    [base, ours, theirs],
  )
  const open = parts.filter((part) => part.kind === 'open').length
  const [choices, setChoices] = useState<readonly Side[]>(() => Array.from({ length: open }, () => 'ours'))
  const [made, setMade] = useState(() => (parts.length > 0 ? joinParts(parts, choices) : (ours ?? theirs ?? '')))
  const [result, setResult] = useState(made)

  function take(next: readonly Side[], text: string): void {
    if (result !== made && result !== text) offerBack(() => setResult(result))
    setChoices(next)
    setMade(text)
    setResult(text)
  }

  function chooseWhole(side: Side): void {
    const next = choices.map(() => side)
    const whole = { ours, theirs, both: null }[side]
    take(next, whole ?? joinParts(parts, next))
  }

  return { parts, open, choices, choose: (next) => take(next, joinParts(parts, next)), chooseWhole, result, setResult }
}

/** A choice replaces the result, so this offers to bring back the text that a person had typed into it. */
function offerBack(onUndo: () => void): void {
  toastWithUndo({ message: strings.branches.editReplaced, undoLabel: strings.common.undo, onUndo })
}
