import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { Virtuoso } from 'react-virtuoso'
import type { ApplyReceipt } from '#shared/contract/views.ts'
import { strings } from '../state/strings.ts'
import { PathText } from '../ui/path-text.tsx'

const labels = strings.changes
const rowHeight = 20

/** What an apply did to the disk. */
export function Receipt({ receipt, left }: { receipt: ApplyReceipt; left: number }): ReactNode {
  const paths = [...receipt.written, ...receipt.deleted]
  return (
    <div>
      <p role="status" className="flex items-center gap-2 font-medium text-good">
        <CircleCheck size={16} aria-hidden />
        {labels.applied(paths.length)}
      </p>
      <p className="text-muted">{labels.receipt(receipt.written.length, receipt.deleted.length)}</p>
      {left > 0 && <p className="text-muted">{labels.stillChanged(left)}</p>}
      <Virtuoso
        className="mt-2 text-xs"
        style={{ height: `min(40vh, ${paths.length * rowHeight}px)` }}
        data={paths}
        fixedItemHeight={rowHeight}
        initialItemCount={Math.min(paths.length, 20)}
        itemContent={(index, path) => (
          <div className="flex h-5 items-center gap-2">
            <span className="w-14 shrink-0 text-muted">
              {index < receipt.written.length ? labels.written : labels.deleted}
            </span>
            <PathText path={path} />
          </div>
        )}
      />
    </div>
  )
}
