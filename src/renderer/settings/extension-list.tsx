import type { ReactNode } from 'react'
import type { ExtensionList, FoundExtension } from '#shared/contract/views.ts'
import { useApp, useClient, useLoaded } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { Empty, Notice } from '../ui/notice.tsx'
import { VisibleText } from '../ui/visible-text-view.tsx'

const words = strings.extensions

/** Agents or skills that the user and the open project define, and what could not be used of them. */
export function ExtensionSection({ kind }: { kind: 'agents' | 'skills' }): ReactNode {
  const client = useClient()
  const project = useApp((state) => state.project)
  const [list, reload] = useLoaded(project?.id ?? '', async () =>
    project ? client.extensions.list({ projectId: project.id }) : null,
  )
  if (!project) return <Empty title={words.noProject} detail={words.noProjectDetail} />
  if (list.state === 'failed') return <RefusalNotice refusal={list.refusal} onRetry={reload} />
  if (!list.value) return <p className="text-muted">{strings.common.loading}</p>
  const found: readonly FoundExtension[] = list.value[kind]
  return (
    <section aria-label={words.title[kind]} className="flex flex-col gap-3">
      <h3 className="font-semibold">{words.title[kind]}</h3>
      {!project.trusted && <p className="text-muted">{words.untrusted}</p>}
      <Problems problems={list.value.problems} />
      {found.length === 0 && <Empty title={words.none[kind]} detail={words.noneDetail[kind]} />}
      <ul className="flex flex-col">
        {found.map((one) => (
          <li key={`${one.source} ${one.name}`} className="border-line py-2 [overflow-wrap:anywhere] not-last:border-b">
            <p className="font-medium">
              <VisibleText text={one.name} />
            </p>
            <p>
              <VisibleText text={one.description} />
            </p>
            <p className="text-muted text-xs">
              <VisibleText text={details(one)} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Problems({ problems }: Pick<ExtensionList, 'problems'>): ReactNode {
  return problems.map(({ file, line, message }) => (
    <Notice
      key={`${file} ${line} ${message}`}
      tone="warning"
      title={words.problem}
      detail={`${file}${line === null ? '' : `:${line}`} – ${message}`}
    />
  ))
}

function details({ source, model, tools, mode, unknownKeys }: FoundExtension): string {
  return [
    source,
    mode === 'tool' && words.toolMode,
    model && words.model(model),
    tools && words.tools(tools),
    unknownKeys.length > 0 && words.unknownKeys(unknownKeys),
  ]
    .filter(Boolean)
    .join(' · ')
}
