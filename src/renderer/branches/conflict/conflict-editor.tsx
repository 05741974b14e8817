import { ChevronDown, ChevronUp } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { ConflictSides } from '#shared/contract/views/branches.ts'
import { agentStyle } from '../../parts/agents/agent-mark.tsx'
import { useApp } from '../../state/hooks/hooks.tsx'
import { hueOf } from '../../state/store/agent-hues.ts'
import { conflictStrings } from '../../strings/later/conflicts.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { Notice } from '../../ui/controls/notice.tsx'
import { ConflictHunks } from './conflict-hunks.tsx'
import { chooseAll, choosePart, countDecided, openParts, typeInto } from './conflict-result.ts'
import type { Side } from './conflict-text.ts'
import { ConflictVersions } from './conflict-versions.tsx'
import { ResultEditor } from './result-editor.tsx'
import { useConflictDraft } from './use-conflict-draft.ts'
import { WholeFiles } from './whole-files.tsx'

const labels = conflictStrings

/** Puts a text in place of the result. Asks first if that loses what was typed; `onTaken` follows once it is done. */
export type TakeProposal = (text: string, onTaken: () => void) => void

interface ConflictEditorProps {
  /** True if the first conflict takes the focus once it is shown. */
  readonly takesFocus: boolean
  /** Names the draft; null keeps it only while it is on screen. */
  readonly draftKey: string | null
  readonly sides: ConflictSides
  readonly oursBy: string
  readonly theirs: string
  readonly busy: boolean
  /** Saves the text as the result. Answers whether that worked. */
  readonly onSave: (text: string) => Promise<boolean>
  /** Takes one side as it is, whatever it is. Null where that is not possible. */
  readonly onTake: ((side: 'ours' | 'theirs') => Promise<boolean>) | null
  readonly onDone: () => void
  /** Shows what an agent proposes. */
  readonly proposal?: (onTake: TakeProposal) => ReactNode
}

/** A choice that waits until the person agrees to lose what was typed. The place is null for all parts. */
type Question =
  | { readonly side: Side; readonly place: number | null }
  | { readonly proposed: string; readonly place: null; readonly onTaken: () => void }

/** The base, current and incoming version of a file, conflict by conflict, and a result to edit. */
export function ConflictEditor(props: ConflictEditorProps): ReactNode {
  const { takesFocus, draftKey, sides, oursBy, theirs: other, busy, onSave, onTake, onDone, proposal } = props
  const { path, conflict, ours, theirs } = sides
  const draft = useConflictDraft(draftKey, sides)
  const { parts, result } = draft
  const [at, setAt] = useState(0)
  const [question, setQuestion] = useState<Question | null>(null)
  const box = useRef<HTMLElement>(null)
  const hue = useApp((state) => hueOf(state, other))
  const open = openParts(parts).length
  const isText = ours !== null || theirs !== null
  const isWhole = onTake !== null && (open === 0 || conflict === null || conflict.reason !== 'content')

  useEffect(() => {
    if (takesFocus)
      (box.current?.querySelector<HTMLElement>('[data-conflict="0"]') ?? box.current?.querySelector('button'))?.focus()
  }, [takesFocus])

  function choose(side: Side, place: number | null): void {
    const replaces = place === null ? result.typed : result.parts[place]?.typed
    if (replaces) setQuestion({ side, place })
    else carryOut({ side, place })
  }
  function carryOut(chosen: Question): void {
    setQuestion(null)
    if ('proposed' in chosen) {
      draft.change(typeInto(result, chosen.proposed))
      chosen.onTaken()
    } else if (chosen.place === null) draft.change(chooseAll(parts, chosen.side))
    else draft.change(choosePart(parts, result, chosen.place, chosen.side))
  }
  function takeProposal(proposed: string, onTaken: () => void): void {
    if (result.typed) setQuestion({ proposed, place: null, onTaken })
    else carryOut({ proposed, place: null, onTaken })
  }
  function goTo(place: number): void {
    const next = Math.min(Math.max(place, 0), open - 1)
    setAt(next)
    const hunk = box.current?.querySelector<HTMLElement>(`[data-conflict="${next}"]`)
    hunk?.focus({ preventScroll: true })
    hunk?.scrollIntoView({ block: 'nearest' })
  }
  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || open === 0) return
    const side = sideOfKey(event.key, result.parts[at]?.choice ?? null)
    if (side) choose(side, at)
    else if (event.key === 'n') goTo(at + 1)
    else if (event.key === 'p') goTo(at - 1)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  async function save(): Promise<void> {
    if (!(await onSave(result.text))) return
    draft.finish()
    onDone()
  }
  async function take(side: 'ours' | 'theirs'): Promise<void> {
    if (onTake && (await onTake(side))) onDone()
  }

  return (
    <section
      ref={box}
      aria-label={labels.title(path)}
      onKeyDown={onKeyDown}
      style={agentStyle(hue)}
      className="@container flex flex-col gap-3 border-line border-b p-3"
    >
      <header className="flex flex-wrap items-center gap-2">
        <h3 className="min-w-0 flex-1 basis-48 font-semibold text-base [overflow-wrap:anywhere]">
          {labels.title(path)}
          {conflict && <span className="block font-normal text-muted text-sm">{labels.reasons[conflict.reason]}</span>}
        </h3>
        {open > 0 && (
          <>
            <p role="status" className="font-medium tabular-nums">
              {labels.decided(countDecided(result), open)}
            </p>
            <span className="flex">
              <IconButton label={labels.previous} keys="p" disabled={at === 0} onClick={() => goTo(at - 1)}>
                <ChevronUp size={15} aria-hidden />
              </IconButton>
              <IconButton label={labels.next} keys="n" disabled={at >= open - 1} onClick={() => goTo(at + 1)}>
                <ChevronDown size={15} aria-hidden />
              </IconButton>
            </span>
          </>
        )}
      </header>
      {draft.outdated && <Notice tone="warning" title={labels.outdated} detail={labels.outdatedDetail} />}
      {!draft.kept && <Notice tone="warning" title={labels.noRoom} detail={labels.noRoomDetail} />}
      {ours !== null && theirs !== null && proposal?.(takeProposal)}
      {isWhole && <ConflictVersions sides={sides} oursBy={oursBy} other={other} busy={busy} onTake={take} />}
      {open > 0 && (
        <ConflictHunks
          parts={parts}
          oursBy={oursBy}
          other={other}
          result={result}
          at={at}
          onReach={setAt}
          onChoose={choose}
        />
      )}
      {isText && <WholeFiles sides={sides} oursBy={oursBy} other={other} openAtFirst={open === 0} />}
      {question && (
        <Notice
          tone="warning"
          title={labels.replaces(question.place === null ? null : question.place + 1)}
          actions={
            <>
              <Button onClick={() => carryOut(question)}>{labels.replace}</Button>
              <Button onClick={() => setQuestion(null)}>{labels.keepTyped}</Button>
            </>
          }
        />
      )}
      {isText && (
        <ResultEditor
          path={path}
          result={result}
          busy={busy}
          canDecide={isWhole}
          onChange={draft.change}
          onSave={() => void save()}
        >
          {open > 1 && (
            <span className="flex flex-wrap gap-1">
              {(['ours', 'theirs', 'both'] as const).map((side) => (
                <Button
                  key={side}
                  aria-pressed={result.parts.every(({ choice, typed }) => choice === side && !typed)}
                  onClick={() => choose(side, null)}
                >
                  {labels.all[side]}
                </Button>
              ))}
            </span>
          )}
        </ResultEditor>
      )}
    </section>
  )
}

/** `1` takes the current side, `2` the incoming one, `3` both; `3` again changes their order. */
function sideOfKey(key: string, choice: Side | null): Side | null {
  if (key === '3') return choice === 'both' ? 'both_reversed' : 'both'
  return ({ 1: 'ours', 2: 'theirs' }[key] as Side | undefined) ?? null
}

function isTyping(target: EventTarget): boolean {
  return target instanceof Element && target.closest('input, textarea, [contenteditable="true"]') !== null
}
