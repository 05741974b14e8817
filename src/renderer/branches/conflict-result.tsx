import { lazy, type ReactNode, Suspense } from 'react'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { TextArea } from '../ui/field.tsx'

const labels = strings.branches
const CodeEditor = lazy(async () => ({ default: (await import('../ui/code-editor.tsx')).CodeEditor }))

export interface ResultEditorProps {
  readonly path: VirtualPath
  readonly value: string
  readonly busy: boolean
  readonly onChange: (value: string) => void
  readonly onSave: (value: string) => void
  /** What fills the result as a whole. */
  readonly children: ReactNode
}

/** The text that settles a conflict, as the choices made it and as a person edits it. */
export function ResultEditor({ path, value, busy, onChange, onSave, children }: ResultEditorProps): ReactNode {
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
