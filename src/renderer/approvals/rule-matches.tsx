import type { ReactNode } from 'react'
import { useClient, useLoaded, useProjectId } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { VisibleText } from '../ui/visible-text-view.tsx'

const labels = strings.approvals.allow

/** What rules would have allowed of the calls so far: the way to see that a pattern is wider than it was meant to be. */
export function RuleMatches({ rules }: { rules: readonly string[] }): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const [preview] = useLoaded(rules.join('\n'), async () =>
    rules.length === 0 ? null : client.approvals.previewRules({ projectId, rules: [...rules] }),
  )
  if (preview.state === 'failed') {
    return (
      <p role="alert" className="text-bad">
        {preview.refusal.message}
      </p>
    )
  }
  if (!preview.value) return null
  const { matched, of, examples } = preview.value
  return (
    <section aria-live="polite" className="flex flex-col gap-1">
      <p className="text-muted">{labels.preview(matched, of)}</p>
      <ul className="max-h-40 overflow-auto font-mono text-xs [overflow-wrap:anywhere]">
        {examples.map((example) => (
          <li key={example}>
            <VisibleText text={example} />
          </li>
        ))}
      </ul>
    </section>
  )
}
