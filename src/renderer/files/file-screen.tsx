import { SquareArrowOutUpRight, X } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { FileContent } from '#shared/contract/views/files.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { formatBytes } from '#shared/text/format.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useOpenInEditor } from '../parts/use-open-in-editor.ts'
import { OpenVersion } from '../parts/viewers/changed-versions.tsx'
import { isShownFirst, viewerKindOf } from '../parts/viewers/viewer-kind.ts'
import { useApp, useProjectId, useUpdateUi } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { workspaceOf } from '../state/store/selectors.ts'
import { closeFile } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button, IconButton } from '../ui/controls/button.tsx'
import { Empty, Notice } from '../ui/controls/notice.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'

const labels = strings.files
const BlameView = lazy(async () => ({ default: (await import('../parts/blame/blame-view.tsx')).BlameView }))
const CodeEditor = lazy(async () => ({ default: (await import('../ui/code/code-editor.tsx')).CodeEditor }))

/** One file of the workspace, as agents see it now. */
export function FileScreen({ path }: { path: VirtualPath }): ReactNode {
  const projectId = useProjectId()
  const branchId = useApp(workspaceOf)
  const version = useApp((state) => (branchId ? state.timeline.versions.get(branchId) : 0))
  const changed = useApp((state) => state.changes?.some((change) => change.path === path) ?? false)
  const line = useApp((state) => state.ui.fileLine)
  const updateUi = useUpdateUi()
  const openInEditor = useOpenInEditor()
  const kind = viewerKindOf(path)
  const [preview, setPreview] = useState(kind !== null && isShownFirst(kind))
  const [isBlamed, setBlamed] = useState(false)
  const [file, reload] = useQuery('files.read', { projectId, branchId, path }, version)
  return (
    <>
      <header className="flex h-9 shrink-0 items-center gap-2 border-line border-b px-3">
        <h2 className="min-w-0 truncate font-mono text-xs">
          <VisibleText text={path} />
        </h2>
        {file.value && file.value.kind !== 'absent' && (
          <span className="text-faint text-xs">{formatBytes(file.value.size)}</span>
        )}
        <span className="ml-auto flex gap-1">
          {kind !== null && file.value?.kind === 'text' && (
            <Button tone="quiet" onClick={() => setPreview(!preview)}>
              {preview ? strings.viewers.source : strings.viewers.preview}
            </Button>
          )}
          {branchId !== null && file.value?.kind === 'text' && !preview && (
            <Button tone="quiet" aria-pressed={isBlamed} onClick={() => setBlamed(!isBlamed)}>
              {labels.why}
            </Button>
          )}
          {changed && (
            <Button tone="quiet" onClick={() => updateUi((ui) => ({ ...ui, tab: 'changes', changedFile: path }))}>
              {labels.showDiff}
            </Button>
          )}
          {file.value && file.value.kind !== 'absent' && (
            <IconButton label={labels.openInEditor} onClick={() => openInEditor(path, line ?? 1)}>
              <SquareArrowOutUpRight size={14} aria-hidden />
            </IconButton>
          )}
          <IconButton label={labels.closeFile} onClick={() => updateUi((ui) => closeFile(ui, path))}>
            <X size={14} aria-hidden />
          </IconButton>
        </span>
      </header>
      <div className="min-h-0 flex-1 overflow-auto">
        {file.state === 'failed' && (
          <div className="p-3">
            <RefusalNotice refusal={file.refusal} onRetry={reload} />
          </div>
        )}
        {file.value && isSpecial(file.value, preview) && (
          <OpenVersion branchId={branchId} path={path} kind={kind} version={version ?? 0} />
        )}
        {isBlamed && branchId !== null && file.value?.kind === 'text' && !preview && (
          <Suspense>
            <BlameView branchId={branchId} path={path} />
          </Suspense>
        )}
        {file.value && !isSpecial(file.value, preview) && !isBlamed && (
          <Content path={path} content={file.value} line={line} />
        )}
      </div>
    </>
  )
}

/** Whether a viewer shows the file: it is not text, or the person wants its preview. */
function isSpecial({ kind }: FileContent, preview: boolean): boolean {
  return kind === 'binary' || kind === 'image' || (kind === 'text' && preview)
}

function Content({ path, content, line }: { path: VirtualPath; content: FileContent; line: number | null }): ReactNode {
  switch (content.kind) {
    case 'absent':
      return <Empty title={labels.absent} detail={path} />
    case 'binary':
    case 'image':
      return null
    case 'text':
      return (
        <>
          {content.truncated && (
            <div className="p-2">
              <Notice tone="info" title={labels.truncated} />
            </div>
          )}
          <Suspense fallback={<pre className="p-3 font-mono text-xs">{content.text.slice(0, 20_000)}</pre>}>
            <CodeEditor label={labels.content(path)} path={path} value={content.text} line={line} />
          </Suspense>
        </>
      )
  }
}
