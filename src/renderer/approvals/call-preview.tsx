import type { ReactNode } from 'react'
import type { JsonValue } from '#shared/base/json.ts'
import type { FileDiff } from '#shared/contract/views/files.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { ActionRequest } from '#shared/model/interrupt.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { TaskList, tasksIn } from '../parts/task-list.tsx'
import { useApp, useProjectId } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { threadOf } from '../state/store/selectors.ts'
import { strings } from '../strings/strings.ts'
import { CodeText } from '../ui/code/code-text.tsx'
import { useHighlighter } from '../ui/code/use-highlighter.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { DiffView } from '../ui/diff/diff-view.tsx'
import { reachable } from '../ui/react/elements.tsx'
import { previewOf } from './preview.ts'

const labels = strings.approvals

interface CallPreviewProps {
  readonly threadId: ThreadId
  readonly request: ActionRequest
}

/** Exactly what would run: a diff for writes, the text of commands and code, the arguments of other calls. */
export function CallPreview({ threadId, request }: CallPreviewProps): ReactNode {
  const preview = previewOf(request)
  const { effect } = findToolFacts(request.name)
  const runsOnCopy = effect === 'overlay'
  const tasks = effect === 'agents' ? tasksIn(request.args) : null
  switch (preview.kind) {
    case 'code':
      return (
        <>
          <Exact text={preview.text} language={preview.language} />
          {preview.rest.length > 0 && <Arguments entries={preview.rest} />}
          {runsOnCopy && <Changes threadId={threadId} request={request} besideArguments />}
        </>
      )
    case 'changes':
      return <Changes threadId={threadId} request={request} />
    case 'arguments':
      return (
        <>
          {tasks && <TaskList tasks={tasks} />}
          <Arguments entries={preview.entries.filter(([name]) => !(tasks && name === 'tasks'))} />
          {runsOnCopy && <Changes threadId={threadId} request={request} besideArguments />}
        </>
      )
  }
}

/** A call as a person edited it. The host can only preview the call that the agent asked for. */
export function EditedPreview({ request }: Pick<CallPreviewProps, 'request'>): ReactNode {
  const preview = previewOf(request)
  if (preview.kind !== 'code') return <Arguments entries={Object.entries(request.args)} />
  return (
    <>
      <Exact text={preview.text} language={preview.language} />
      {preview.rest.length > 0 && <Arguments entries={preview.rest} />}
    </>
  )
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

interface ChangesProps extends CallPreviewProps {
  /** True when the card shows the arguments already. */
  readonly besideArguments?: boolean
}

/** Shows the changes to files that the call would make if it ran now, or why it would fail. */
function Changes({ threadId, request, besideArguments = false }: ChangesProps): ReactNode {
  const projectId = useProjectId()
  const version = useApp((state) => threadOf(state, threadId)?.lastSequence ?? 0)
  const [preview] = useQuery('approvals.preview', { projectId, threadId, callId: request.callId }, version)
  const access = findToolFacts(request.name)?.access
  const pathArguments = access ? [...access.reads, ...access.writes, ...access.lists] : []
  const names = Object.entries(request.args).filter(([name]) => pathArguments.includes(name))
  if (preview.state === 'loading' && !preview.value) return <p className="px-2 py-1 text-muted">{labels.diffLoading}</p>
  if (preview.value?.kind !== 'files')
    return besideArguments ? null : <Arguments entries={Object.entries(request.args)} />
  const { files, more, foldersOnly, problem } = preview.value
  return (
    <div className="flex flex-col gap-2">
      {problem !== null && (
        <>
          <p className="text-warn">{labels.wouldFail}</p>
          <pre {...reachable} className="max-h-40 overflow-auto whitespace-pre-wrap font-mono text-xs">
            <VisibleText text={problem} />
          </pre>
          {!besideArguments && <Arguments entries={Object.entries(request.args)} />}
        </>
      )}
      {problem === null && files.length === 0 && (
        <>
          {!besideArguments && <Arguments entries={names} />}
          <p className="text-muted">{foldersOnly ? labels.changesFoldersOnly : labels.changesNothing}</p>
        </>
      )}
      {besideArguments && files.length > 0 && <p className="text-muted">{labels.wouldChange}</p>}
      {files.map((file) => (
        <FileChange key={file.path} file={file} />
      ))}
      {more > 0 && <p className="text-muted">{labels.moreFiles(more)}</p>}
    </div>
  )
}

function FileChange({ file: { path, change, hunks } }: { file: FileDiff }): ReactNode {
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <p className="flex gap-2 border-line border-b bg-panel px-2 py-1 font-mono text-xs">
        <VisibleText text={change.from === undefined ? path : labels.renamed(change.from, path)} />
        {change.kind === 'create' && <span className="text-good">{labels.newFile}</span>}
        {change.kind === 'delete' && <span className="text-bad">{labels.deletedFile}</span>}
      </p>
      <div className="max-h-80 overflow-auto">
        {hunks.length > 0 ? (
          <DiffView
            label={strings.changes.diffOf(path)}
            path={path}
            hunks={hunks}
            showAllLabel={strings.common.showAll}
          />
        ) : (
          <p className="px-2 py-1 text-muted">{strings.common.noTextChange}</p>
        )}
      </div>
    </div>
  )
}
