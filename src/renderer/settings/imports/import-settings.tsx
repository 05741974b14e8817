import { Download, Undo2 } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { type ImportItem, type ImportList, type ImportUndone, importTools } from '#shared/contract/views/imports.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { useApp, useClient, useCommand } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { importStrings } from '../../strings/later/imports.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Empty, Notice } from '../../ui/controls/notice.tsx'
import { chosenOf, type Decisions, decide, decideAll, isOpen } from './import-choice.ts'
import { ImportRow } from './import-row.tsx'

const labels = importStrings

/** What other tools define, what it would become, and what was taken last. */
export function ImportSettings({ text, onSaved }: { readonly text: string; readonly onSaved: () => void }): ReactNode {
  const client = useClient()
  const projectId = useApp((state) => state.projectInfo?.id ?? null)
  const isTrusted = useApp((state) => state.projectInfo?.trusted ?? false)
  const acting = useCommand()
  const [list, reload] = useQuery('imports.find', { projectId }, `${isTrusted} ${text}`)
  const [decisions, setDecisions] = useState<Decisions>(new Map())
  const outcome = useRef<HTMLElement>(null)
  const [undone, setUndone] = useState<ImportUndone | null>(null)
  if (list.state === 'failed') return <RefusalNotice refusal={list.refusal} onRetry={reload} />
  if (!list.value) return <Waiting label={strings.common.loading} />
  const { items, fingerprint, undo } = list.value
  const chosen = chosenOf(items, decisions)

  async function act(work: () => Promise<unknown>): Promise<void> {
    await acting.run(work)
    // The button that was pressed may be gone or have no more to do.
    outcome.current?.focus()
    // Whatever came of it, what is there may be something else by now.
    reload()
    onSaved()
  }
  const take = () =>
    act(async () => {
      setUndone(null)
      await client.imports.take({ projectId, ids: [...chosen], fingerprint })
      setDecisions(new Map())
    })
  const takeBack = (id: string) => act(async () => setUndone(await client.imports.undo({ projectId, id })))
  return (
    <>
      <p className="text-muted">{labels.about}</p>
      <p className="text-muted">{labels.guards}</p>
      <section ref={outcome} tabIndex={-1} aria-label={labels.outcome} className="flex flex-col gap-2">
        <Latest undo={undo} undone={undone} busy={acting.busy} onUndo={(id) => void takeBack(id)} />
        {acting.refusal && <RefusalNotice refusal={acting.refusal} />}
      </section>
      <Missing list={list.value} />
      {items.some(isOpen) && (
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setDecisions(decideAll(items, true))}>{labels.all}</Button>
          <Button onClick={() => setDecisions(decideAll(items, false))}>{labels.nothing}</Button>
          <Button
            tone="primary"
            icon={<Download size={14} aria-hidden />}
            disabled={acting.busy || chosen.length === 0}
            onClick={() => void take()}
          >
            {labels.import(chosen.length)}
          </Button>
        </div>
      )}
      {importTools.map((tool) => (
        <ToolItems
          key={tool}
          title={labels.tool[tool]}
          items={items.filter((item) => item.tool === tool)}
          chosen={chosen}
          onChoose={(item, on) => setDecisions(decide(items, decisions, item, on))}
        />
      ))}
    </>
  )
}

interface LatestProps {
  readonly undo: ImportList['undo']
  readonly undone: ImportUndone | null
  readonly busy: boolean
  readonly onUndo: (id: string) => void
}

/** The latest import with its undo, or what the undo did. */
function Latest({ undo, undone, busy, onUndo }: LatestProps): ReactNode {
  return (
    <div aria-live="polite" className="flex flex-col gap-2 empty:hidden">
      {undone && (
        <Notice
          tone={undone.kept.length > 0 ? 'warning' : 'info'}
          title={undone.kept.length > 0 ? labels.kept : labels.undone}
          detail={undone.kept.join('\n')}
        />
      )}
      {undo && (
        <Notice
          tone="info"
          title={labels.latest(undo.written.length, new Date(undo.at).toLocaleString())}
          detail={undo.written.join('\n')}
          actions={
            <Button icon={<Undo2 size={14} aria-hidden />} disabled={busy} onClick={() => onUndo(undo.id)}>
              {labels.undo}
            </Button>
          }
        />
      )}
    </div>
  )
}

/** What was not looked at or could not be read, and an empty list. */
function Missing({ list: { items, problems, folder } }: { readonly list: ImportList }): ReactNode {
  return (
    <>
      {folder === 'untrusted' && <Notice tone="warning" title={labels.untrusted} detail={labels.untrustedDetail} />}
      {folder === 'none' && <Notice tone="info" title={labels.noProject} detail={labels.noProjectDetail} />}
      {problems.length > 0 && <Notice tone="warning" title={labels.problems} detail={problems.join('\n')} />}
      {items.length === 0 && <Empty title={labels.none} detail={labels.noneDetail} />}
    </>
  )
}

interface ToolItemsProps {
  readonly title: string
  readonly items: readonly ImportItem[]
  readonly chosen: readonly string[]
  readonly onChoose: (item: ImportItem, on: boolean) => void
}

/** The definitions of one tool: what can be taken and what is left out, then what needs no import. */
function ToolItems({ title, items, chosen, onChoose }: ToolItemsProps): ReactNode {
  const others = items.filter(({ state }) => state === 'same' || state === 'read_here')
  const shown = items.filter((item) => !others.includes(item))
  const rows = (some: readonly ImportItem[]) =>
    some.map((item) => (
      <ImportRow key={item.id} item={item} isChosen={chosen.includes(item.id)} onChoose={(on) => onChoose(item, on)} />
    ))
  if (items.length === 0) return null
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h3 className="font-semibold">{title}</h3>
      {shown.length > 0 && (
        <ul className="divide-y divide-line rounded-lg border border-line bg-raised">{rows(shown)}</ul>
      )}
      {others.length > 0 && (
        <details>
          <summary className="w-fit cursor-pointer text-muted">{labels.others(others.length)}</summary>
          <ul className="mt-2 divide-y divide-line rounded-lg border border-line">{rows(others)}</ul>
        </details>
      )}
    </section>
  )
}
