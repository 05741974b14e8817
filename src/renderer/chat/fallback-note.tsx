import { Shuffle } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ModelFallback } from '#shared/model/thread.ts'
import { useApp } from '../state/hooks/hooks.tsx'
import { modelName } from '../state/store/selectors.ts'
import { fallbackStrings } from '../strings/later/fallback.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'

const labels = fallbackStrings

/** Says that another model took over, where it happened. What the server said is folded. */
export function FallbackNote({ fallback }: { fallback: ModelFallback }): ReactNode {
  const from = useApp((state) => modelName(state, fallback.from))
  const to = useApp((state) => modelName(state, fallback.model))
  return (
    <article aria-label={labels.title} className="flex gap-2 px-1 py-1 text-muted">
      <Shuffle size={14} aria-hidden className="mt-1 shrink-0 text-warn" />
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <p>
          <VisibleText text={labels.tookOver(from, to)} />
        </p>
        {fallback.reason.trim() !== '' && (
          <details>
            <summary className="min-h-6 cursor-pointer text-xs">{labels.why}</summary>
            <p className="text-xs">
              <VisibleText text={fallback.reason} />
            </p>
          </details>
        )}
      </div>
    </article>
  )
}
