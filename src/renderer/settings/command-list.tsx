import type { ReactNode } from 'react'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { slashStrings } from '../strings/later/slash.ts'
import { strings } from '../strings/strings.ts'
import { Empty } from '../ui/controls/notice.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { OpenSource, Problems } from './extension-list.tsx'

const labels = slashStrings

/** The commands that files and servers define, and the files that are not used. */
export function CommandSection(): ReactNode {
  const projectInfo = useApp((state) => state.projectInfo)
  const [list, reload] = useQuery('extensions.slash', projectInfo && { projectId: projectInfo.id, servers: false })
  if (!projectInfo) return null
  if (list.state === 'failed') return <RefusalNotice refusal={list.refusal} onRetry={reload} />
  if (!list.value) return <p className="text-muted">{strings.common.loading}</p>
  const commands = list.value.entries.filter(({ kind }) => kind !== 'skill')
  return (
    <section aria-label={labels.title} className="flex flex-col gap-3">
      <h3 className="font-semibold">{labels.title}</h3>
      <Problems problems={list.value.problems} />
      {commands.length === 0 ? (
        <Empty title={labels.none} detail={labels.noneDetail} />
      ) : (
        <p className="text-muted">{labels.about}</p>
      )}
      <ul className="flex flex-col">
        {commands.map((one) => (
          <li key={one.word} className="border-line py-2 [overflow-wrap:anywhere] not-last:border-b">
            <p className="font-medium font-mono text-xs">
              <VisibleText text={`/${one.word} ${one.hint}`.trim()} />
            </p>
            <p>
              <VisibleText text={one.description} />
            </p>
            <p className="flex flex-wrap items-center gap-2 text-muted text-xs">
              <span className="min-w-0">
                <VisibleText text={labels.aboutOf(one)} />
              </span>
              {one.kind === 'command' && <OpenSource source={one.source} />}
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}
