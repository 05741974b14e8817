import { type ReactNode, useState } from 'react'
import { Virtuoso } from 'react-virtuoso'
import type { ChangeKind } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { AuthorMark } from '../parts/agents/agent-mark.tsx'
import { ChangeMark } from '../parts/marks.tsx'
import { strings } from '../strings/strings.ts'
import { PathText } from '../ui/controls/path-text.tsx'

interface ChoosableFile {
  readonly path: VirtualPath
  readonly kind: ChangeKind
  /** The name of the agent or person who changed the file last; empty if unknown. */
  readonly author: string
  /** Shown beside the path. */
  readonly state?: ReactNode
  /** Shown below the path. */
  readonly note?: ReactNode
  readonly disabled?: boolean
}

interface FileChoiceProps {
  readonly label: string
  readonly files: readonly ChoosableFile[]
  readonly chosen: ReadonlySet<VirtualPath>
  readonly onChange: (chosen: ReadonlySet<VirtualPath>) => void
  /** The largest height of the list, as a CSS length. A longer list scrolls. */
  readonly height: string
}

/** Height of a row in pixels. The list measures the real height later. */
const rowHeight = 28

/** Files with check boxes. The first box checks all of them, or none. */
export function FileChoice({ label, files, chosen, onChange, height: most }: FileChoiceProps): ReactNode {
  const possible = files.filter(({ disabled }) => !disabled)
  const all = possible.length > 0 && possible.every(({ path }) => chosen.has(path))
  const [height, setHeight] = useState(files.length * rowHeight)
  function toggle(path: VirtualPath): void {
    const next = new Set(chosen)
    if (!next.delete(path)) next.add(path)
    onChange(next)
  }
  return (
    <fieldset aria-label={label} className="min-w-0">
      <label className="flex min-h-8 items-center gap-2 border-line border-b font-medium">
        <input
          type="checkbox"
          checked={all}
          ref={(box) => {
            if (box) box.indeterminate = !all && chosen.size > 0
          }}
          onChange={() => onChange(all ? new Set() : new Set(possible.map(({ path }) => path)))}
          className="size-4 accent-accent-solid"
        />
        {strings.changes.all}
        <span className="ml-auto font-normal text-muted tabular-nums">
          {strings.changes.ofAll(chosen.size, files.length)}
        </span>
      </label>
      <Virtuoso
        style={{ height: `min(${most}, ${height}px)` }}
        data={files}
        totalListHeightChanged={setHeight}
        computeItemKey={(_, { path }) => path}
        itemContent={(_, file) => (
          <div className="pr-1">
            <label className="flex min-h-7 items-center gap-2 py-0.5">
              <input
                type="checkbox"
                checked={chosen.has(file.path)}
                disabled={file.disabled}
                onChange={() => toggle(file.path)}
                className="size-4 shrink-0 accent-accent-solid"
              />
              <PathText path={file.path} className="flex-1" />
              <AuthorMark name={file.author} />
              {file.state}
              <ChangeMark kind={file.kind} />
            </label>
            {file.note && <div className="flex flex-wrap gap-2 pb-1.5 pl-6">{file.note}</div>}
          </div>
        )}
      />
    </fieldset>
  )
}
