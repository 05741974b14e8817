import { lazy, type ReactNode, Suspense, useMemo } from 'react'
import type { FileVersion, FileVersions } from '#shared/contract/views/files.ts'
import { strings } from '../../strings/strings.ts'
import { Boundary } from '../../ui/react/boundary.tsx'
import { withKeys } from '../../ui/react/elements.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { BinaryVersions } from './binary-versions.tsx'
import { textOf } from './bytes.ts'
import { ImageVersions } from './image-versions.tsx'
import { JsonTree } from './json-tree.tsx'
import { readNotebook } from './notebook.ts'
import { NotebookView } from './notebook-view.tsx'
import { TableView } from './table-view.tsx'
import type { ViewerKind } from './viewer-kind.ts'

const labels = strings.viewers
const PdfPages = lazy(async () => ({ default: (await import('./pdf-pages.tsx')).PdfPages }))
/** Longer texts are shown only as source. */
const longestPreview = 1_000_000
/** A notebook holds its pictures as text. */
const longestNotebook = 8_000_000

interface VersionsViewerProps {
  readonly path: string
  /** Null for a file that is only bytes. */
  readonly kind: ViewerKind | null
  readonly versions: FileVersions
}

/** Both versions of a file, or one of a new, deleted or unchanged file. A file that a viewer cannot read is described. */
export function VersionsViewer(props: VersionsViewerProps): ReactNode {
  const { before, after } = props.versions
  const describe = (): ReactNode => <BinaryVersions {...props.versions} />
  return (
    <Boundary resetKey={`${props.path} ${before?.hash} ${after?.hash}`} fallback={describe}>
      <Viewer {...props} />
    </Boundary>
  )
}

function Viewer({ path, kind, versions }: VersionsViewerProps): ReactNode {
  const { before, after } = versions
  switch (kind) {
    case 'image':
    case 'svg':
      return <ImageVersions path={path} before={before} after={after} />
    case 'notebook':
      return <Notebook before={before} after={after} />
    case 'pdf':
      return <Pdf before={before} after={after} />
    case 'markdown':
    case 'table':
    case 'json':
      return <Preview kind={kind} version={after ?? before} />
    case null:
      return <BinaryVersions before={before} after={after} />
  }
}

function Notebook({ before, after }: FileVersions): ReactNode {
  const texts = useMemo(() => [before, after].map((version) => textOf(version) ?? ''), [before, after])
  const isTooLong = texts.some(({ length }) => length > longestNotebook)
  const books = useMemo(() => (isTooLong ? [] : texts.map(readNotebook)), [texts, isTooLong])
  const [old = null, fresh = null] = books
  if (isTooLong) return <p className="p-3 text-muted">{labels.tooLarge}</p>
  const isUnreadable = (before && !old) || (after && !fresh)
  if (isUnreadable) return <p className="p-3 text-muted">{labels.noNotebook}</p>
  return <NotebookView before={old} after={fresh} />
}

function Pdf({ before, after }: FileVersions): ReactNode {
  const isPair = before !== null && after !== null
  const sides = [
    { label: isPair ? labels.before : null, version: before },
    { label: isPair ? labels.after : null, version: after },
  ]
  return (
    <div className="@container">
      <BinaryVersions before={before} after={after} />
      <Suspense fallback={<p className="p-3 text-muted">{strings.common.loading}</p>}>
        <div className={isPair ? 'grid items-start @min-[36rem]:grid-cols-2' : ''}>
          {withKeys(sides).map(
            ({ key, item: { label, version } }) => version && <PdfSide key={key} label={label} version={version} />,
          )}
        </div>
      </Suspense>
    </div>
  )
}

/** @param props.label says which version it is; null if there is only one. */
function PdfSide({ label, version }: { readonly label: string | null; readonly version: FileVersion }): ReactNode {
  return (
    <section aria-label={label ?? undefined} className="min-w-0">
      {label !== null && <h4 className="pt-2 text-center font-semibold text-muted text-xs">{label}</h4>}
      {version.base64 === null ? (
        <p className="p-3 text-center text-muted">{labels.tooLarge}</p>
      ) : (
        <PdfPages base64={version.base64} label={label} />
      )}
    </section>
  )
}

function Preview({
  kind,
  version,
}: {
  readonly kind: 'markdown' | 'table' | 'json'
  version: FileVersion | null
}): ReactNode {
  const text = useMemo(() => textOf(version), [version])
  if (text === null || text.length > longestPreview) return <p className="p-3 text-muted">{labels.tooLarge}</p>
  if (kind === 'table') return <TableView text={text} />
  if (kind === 'json') return <JsonTree text={text} />
  return (
    <div className="mx-auto max-w-[72ch] p-4">
      <Markdown text={text} />
    </div>
  )
}
