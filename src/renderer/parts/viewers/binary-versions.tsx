import type { ReactNode } from 'react'
import type { FileVersion, FileVersions } from '#shared/contract/views/files.ts'
import { formatBytes, formatNumber } from '#shared/text/format.ts'
import { strings } from '../../strings/strings.ts'

const labels = strings.viewers

/** What can be said about files that are not text: their sizes and the names of their content. */
export function BinaryVersions({ before, after }: FileVersions): ReactNode {
  return (
    <dl className="grid w-fit max-w-full grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 px-3 py-3 text-xs">
      <dt className="sr-only">{labels.kind}</dt>
      <dd className="col-span-2 text-muted">{labels.binary}</dd>
      {before && <Version label={after ? labels.before : labels.removed} version={before} />}
      {after && <Version label={before ? labels.after : labels.added} version={after} />}
    </dl>
  )
}

function Version({
  label,
  version: { size, hash },
}: {
  readonly label: string
  readonly version: FileVersion
}): ReactNode {
  return (
    <>
      <dt className="font-semibold">{label}</dt>
      <dd className="min-w-0 tabular-nums">
        {formatBytes(size)} <span className="text-muted">({labels.bytes(formatNumber(size))})</span>
        {hash !== '' && <span className="block break-all font-mono text-2xs text-muted">SHA-256 {hash}</span>}
      </dd>
    </>
  )
}
