import type { ReactNode } from 'react'
import type { ChangeKind } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { ChangeMark } from '../state/change-mark.tsx'
import { strings } from '../state/strings.ts'

export interface ChoosableFile {
  readonly path: VirtualPath
  readonly kind: ChangeKind
  /** Said below the path. */
  readonly note?: ReactNode
  readonly disabled?: boolean
}

export interface FileChoiceProps {
  readonly label: string
  readonly files: readonly ChoosableFile[]
  readonly chosen: ReadonlySet<VirtualPath>
  readonly onChange: (chosen: ReadonlySet<VirtualPath>) => void
}

/** Files with check boxes; the first takes or leaves all. */
export function FileChoice({ label, files, chosen, onChange }: FileChoiceProps): ReactNode {
  const possible = files.filter(({ disabled }) => !disabled)
  const all = possible.length > 0 && possible.every(({ path }) => chosen.has(path))
  function toggle(path: VirtualPath): void {
    const next = new Set(chosen)
    if (!next.delete(path)) next.add(path)
    onChange(next)
  }
  return (
    <fieldset aria-label={label} className="min-w-0">
      <label className="flex min-h-7 items-center gap-2 border-line border-b font-medium">
        <input
          type="checkbox"
          checked={all}
          onChange={() => onChange(all ? new Set() : new Set(possible.map(({ path }) => path)))}
          className="size-4 accent-accent-solid"
        />
        {strings.changes.all}
      </label>
      <ul className="max-h-[46vh] overflow-auto">
        {files.map((file) => (
          <li key={file.path}>
            <label className="flex min-h-7 items-center gap-2 py-0.5">
              <input
                type="checkbox"
                checked={chosen.has(file.path)}
                disabled={file.disabled}
                onChange={() => toggle(file.path)}
                className="size-4 shrink-0 accent-accent-solid"
              />
              <span className="min-w-0 flex-1">
                <span className="block break-all font-mono text-xs">{file.path}</span>
                {file.note}
              </span>
              <ChangeMark kind={file.kind} />
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
