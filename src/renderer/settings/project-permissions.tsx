import type { ReactNode } from 'react'
import { useApp, useClient, useLoaded } from '../state/hooks.tsx'
import { strings } from '../state/strings.ts'
import { VisibleText } from '../ui/visible-text-view.tsx'

const labels = strings.settings.rules
const file = '.coppice/settings.json'

/** What the open project's own settings narrow; nothing where there are none. */
export function ProjectPermissions(): ReactNode {
  const client = useClient()
  const project = useApp((state) => state.project)
  const [list] = useLoaded(project?.id ?? '', async () =>
    project ? client.extensions.list({ projectId: project.id }) : null,
  )
  const narrowing = Object.entries(list.value?.settings ?? {})
  const problems = (list.value?.problems ?? []).filter((problem) => problem.file.endsWith(file))
  if (narrowing.length === 0 && problems.length === 0) return null
  return (
    <section aria-label={labels.project} className="flex flex-col gap-2">
      <h3 className="font-semibold">{labels.project}</h3>
      <p className="text-muted text-xs">{labels.projectHint(file)}</p>
      {narrowing.length > 0 && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-lg border border-line px-3 py-2 font-mono text-xs">
          {narrowing.map(([key, value]) => (
            <div key={key} className="contents">
              <dt className="text-muted">{key}</dt>
              <dd className="min-w-0 [overflow-wrap:anywhere]">
                <VisibleText text={JSON.stringify(value)} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {problems.map(({ message }) => (
        <p key={message} className="text-warn text-xs [overflow-wrap:anywhere]">
          <VisibleText text={message} />
        </p>
      ))}
    </section>
  )
}
