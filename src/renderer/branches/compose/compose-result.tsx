import { lazy, type ReactNode, Suspense, useMemo } from 'react'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { composeStrings as labels } from '../../strings/composing/compose.ts'
import { TextArea } from '../../ui/controls/field.tsx'
import { decisionText } from './compose-hunks.tsx'
import type { Chosen, ResultMark } from './composition-draft.ts'

const CodeEditor = lazy(async () => ({ default: (await import('../../ui/code/code-editor.tsx')).CodeEditor }))

interface ComposeResultProps {
  readonly path: VirtualPath
  readonly text: string
  readonly marks: readonly ResultMark[]
  readonly picks: readonly Chosen[]
  readonly names: readonly string[]
}

/** The file as it will be, in the colours of its language. Each hunk says where its lines are from. */
export function ComposeResult({ path, text, marks, picks, names }: ComposeResultProps): ReactNode {
  const shown = useMemo(
    () =>
      marks.map(({ hunk, from, to }) => {
        const chosen = picks[hunk] ?? null
        const look = chosen === null ? 'conflict-open' : 'text' in chosen.pick ? 'conflict-typed' : 'compose-taken'
        return { from, to, label: `${hunk + 1} · ${decisionText(chosen, names)}`, look }
      }),
    [marks, picks, names],
  )
  const label = labels.resultOf(path)
  return (
    <section aria-label={labels.result} className="flex min-h-0 flex-1 flex-col border-line border-t">
      <h3 className="px-3 py-1 font-semibold">{labels.result}</h3>
      <div className="min-h-0 flex-1 overflow-hidden bg-raised">
        <Suspense fallback={<TextArea aria-label={label} readOnly rows={6} className="font-mono" value={text} />}>
          <CodeEditor label={label} path={path} value={text} marks={shown} />
        </Suspense>
      </div>
    </section>
  )
}
