import { ChevronRight } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { DiffView } from '../../ui/diff/diff-view.tsx'
import { diffTexts } from '../../ui/diff/line-diff.ts'
import { classNames } from '../../ui/react/class-names.ts'
import { withKeys } from '../../ui/react/elements.tsx'
import { type CellChange, compareCells, compareFacts, type FactChange, type Notebook, type Output } from './notebook.ts'

const labels = strings.viewers
/** More cells are shown on request. */
const firstCells = 60
/** A longer output is cut. */
const longestOutput = 20_000

interface NotebookViewProps {
  /** Null for a notebook that is new. */
  readonly before: Notebook | null
  /** Null for one that was deleted. */
  readonly after: Notebook | null
}

/** A notebook cell by cell. Of a changed one, cells that stayed the same are left out. */
export function NotebookView({ before, after }: NotebookViewProps): ReactNode {
  const [all, setAll] = useState(false)
  const changes = useMemo(() => compareCells(before?.cells ?? [], after?.cells ?? []), [before, after])
  const facts = before && after ? compareFacts(before.facts, after.facts) : []
  const shown = changes.filter(({ kind }) => kind !== 'same')
  const same = changes.length - shown.length
  return (
    <div className="flex flex-col gap-3 p-3">
      {facts.length > 0 && <FactChanges facts={facts} />}
      {facts.length + shown.length === 0 && before && after && <p className="text-muted">{labels.sameNotebook}</p>}
      {withKeys(all ? shown : shown.slice(0, firstCells)).map(({ key, item }) => (
        <CellView key={key} change={item} />
      ))}
      {!all && shown.length > firstCells && (
        <Button className="self-start" onClick={() => setAll(true)}>
          {labels.allCells(shown.length)}
        </Button>
      )}
      {same > 0 && <p className="text-muted text-xs">{labels.sameCells(same)}</p>}
    </div>
  )
}

function CellView({ change: { kind, before, after, moved } }: { readonly change: CellChange }): ReactNode {
  const cell = after ?? before
  const facts = before && after ? compareFacts(before.facts, after.facts) : []
  const isPrintedNew = before !== null && after !== null && before.printed !== after.printed
  const hunks = useMemo(() => diffTexts(before?.source ?? '', after?.source ?? ''), [before, after])
  if (!cell || kind === 'same') return null
  return (
    <section
      aria-label={labels.cell(labels.cellChange[kind])}
      className="overflow-hidden rounded-md border border-line"
    >
      <h4 className="border-line border-b bg-panel px-2 py-1 text-muted text-xs">
        {labels.cellChange[kind]} · {labels.cellKind[cell.kind]}
      </h4>
      {moved && <p className="px-2 py-1 text-muted text-xs">{labels.moved}</p>}
      {hunks.length > 0 ? (
        <DiffView
          label={labels.source}
          path={cell.kind === 'code' ? 'cell.py' : 'cell.md'}
          hunks={hunks}
          showAllLabel={strings.common.showAll}
        />
      ) : (
        isPrintedNew &&
        facts.length === 0 &&
        !moved && <p className="px-2 py-1 text-muted text-xs">{labels.onlyOutputs}</p>
      )}
      {facts.length > 0 && (
        <div className="px-2 py-1">
          <FactChanges facts={facts} />
        </div>
      )}
      {isPrintedNew && <Outputs label={labels.outputsBefore(before.outputs.length)} outputs={before.outputs} />}
      {cell.outputs.length > 0 && <Outputs label={labels.outputs(cell.outputs.length)} outputs={cell.outputs} />}
    </section>
  )
}

/** More changes of metadata are counted. */
const firstFacts = 8

function FactChanges({ facts }: { readonly facts: readonly FactChange[] }): ReactNode {
  const listed = facts.slice(0, firstFacts).map(({ name, before, after }) => labels.fact(name, before, after))
  return (
    <p className="text-xs [overflow-wrap:anywhere]">
      <VisibleText text={labels.metadata(listed, facts.length - listed.length)} />
    </p>
  )
}

interface OutputsProps {
  readonly label: string
  readonly outputs: readonly Output[]
}

function Outputs({ label, outputs }: OutputsProps): ReactNode {
  const [open, setOpen] = useState(false)
  return (
    <div className="border-line border-t">
      <Button
        tone="quiet"
        aria-expanded={open}
        icon={<ChevronRight size={13} aria-hidden className={classNames(open && 'rotate-90')} />}
        onClick={() => setOpen(!open)}
      >
        {label}
      </Button>
      {open &&
        withKeys(outputs).map(({ key, item }) => (
          <div key={key} className="max-h-96 overflow-auto px-3 pb-2">
            <OutputView output={item} />
          </div>
        ))}
    </div>
  )
}

function OutputView({ output }: { readonly output: Output }): ReactNode {
  switch (output.kind) {
    case 'image':
      return (
        <img alt={labels.picture} src={`data:${output.mediaType};base64,${output.base64}`} className="max-w-full" />
      )
    case 'hidden':
      return <p className="text-muted text-xs">{labels.hiddenOutput(output.mediaType)}</p>
    default:
      return (
        <pre
          className={classNames(
            'whitespace-pre-wrap font-mono text-xs [overflow-wrap:anywhere]',
            output.kind === 'error' && 'text-bad',
          )}
        >
          <VisibleText text={output.text.slice(0, longestOutput)} />
        </pre>
      )
  }
}
