import type { ReactNode } from 'react'
import type { JsonValue } from '#shared/base/json.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ActionRequest } from '#shared/model/interrupt.ts'
import { parseVirtualPath } from '#shared/model/virtual-path.ts'
import { useApp, useProjectId } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { threadOf } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { CodeText } from '../ui/code/code-text.tsx'
import { useHighlighter } from '../ui/code/use-highlighter.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { DiffView } from '../ui/diff/diff-view.tsx'
import { diffTexts } from '../ui/diff/line-diff.ts'
import { reachable } from '../ui/react/elements.tsx'
import { previewOf, type WritePreview } from './preview.ts'

const labels = strings.approvals

interface CallPreviewProps {
  readonly threadId: ThreadId
  readonly request: ActionRequest
}

/** Exactly what would run: a diff for writes, the text for commands, the arguments for other calls. */
export function CallPreview({ threadId, request }: CallPreviewProps): ReactNode {
  const preview = previewOf(request)
  switch (preview.kind) {
    case 'code':
      return (
        <>
          <Exact text={preview.text} language={preview.language} />
          {preview.rest.length > 0 && <Arguments entries={preview.rest} />}
        </>
      )
    case 'write':
      return <WriteDiff threadId={threadId} preview={preview} />
    case 'arguments':
      return <Arguments entries={preview.entries} />
  }
}

function Exact({ text, language }: { text: string; language: string }): ReactNode {
  const highlighter = useHighlighter({ language })
  return (
    <pre
      {...reachable}
      className="max-h-72 overflow-auto whitespace-pre-wrap rounded-md border border-line bg-panel px-2 py-1.5 font-mono text-xs [overflow-wrap:anywhere]"
    >
      <CodeText text={text} highlighter={highlighter} />
    </pre>
  )
}

function Arguments({ entries }: { entries: readonly (readonly [string, JsonValue])[] }): ReactNode {
  return (
    <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-3 gap-y-1">
      {entries.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 max-h-40 overflow-auto whitespace-pre-wrap font-mono text-xs [overflow-wrap:anywhere]">
            <VisibleText text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function WriteDiff({ threadId, preview }: { threadId: ThreadId; preview: WritePreview }): ReactNode {
  const projectId = useProjectId()
  const branchId = useApp((state) => threadOf(state, threadId)?.branchId ?? null)
  const path = parseVirtualPath(preview.path)
  const [current] = useQuery('files.read', path.ok ? { projectId, branchId, path: path.value } : null)
  const before = current.value?.kind === 'text' ? current.value.text : null
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <p className="flex gap-2 border-line border-b bg-panel px-2 py-1 font-mono text-xs">
        <VisibleText text={preview.path} />
        {current.value?.kind === 'absent' && <span className="text-good">{labels.newFile}</span>}
      </p>
      <div className="max-h-80 overflow-auto">
        {current.state === 'loading' ? (
          <p className="px-2 py-1 text-muted">{labels.diffLoading}</p>
        ) : (
          <DiffView
            label={strings.changes.diffOf(preview.path)}
            path={preview.path}
            hunks={diffTexts(before ?? '', preview.after(before))}
            showAllLabel={strings.common.showAll}
          />
        )}
      </div>
    </div>
  )
}
