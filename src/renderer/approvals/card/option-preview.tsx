import type { ReactNode } from 'react'
import type { AskedOption } from '#shared/tools/questions.ts'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { cardStrings } from '../../strings/later/card.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import { reachable, withKeys } from '../../ui/react/elements.tsx'

/** What an option would look like: a text as it is, Markdown as a document, or a diff by its lines. */
export function OptionPreview({ label, preview }: AskedOption): ReactNode {
  if (preview === undefined) return null
  return (
    <section
      aria-label={cardStrings.preview(label)}
      {...reachable}
      className="max-h-72 min-w-0 overflow-auto rounded-md border border-line bg-panel px-2 py-1.5"
    >
      <p className="mb-1 text-2xs text-muted">
        <VisibleText text={label} />
      </p>
      {preview.kind === 'markdown' ? (
        <Markdown text={preview.text} />
      ) : (
        <pre className="whitespace-pre-wrap font-mono text-xs [overflow-wrap:anywhere]">
          {preview.kind === 'diff' ? <DiffText text={preview.text} /> : <VisibleText text={preview.text} />}
        </pre>
      )}
    </section>
  )
}

function DiffText({ text }: { readonly text: string }): ReactNode {
  return withKeys(text.split('\n')).map(({ key, item }) => (
    <span
      key={key}
      className={classNames('block min-h-4', item.startsWith('+') && 'text-good', item.startsWith('-') && 'text-bad')}
    >
      <VisibleText text={item} />
    </span>
  ))
}
