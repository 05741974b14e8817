import { CircleSlash } from 'lucide-react'
import type { ReactNode } from 'react'
import type { RowStatus } from '#shared/model/derived/batch.ts'
import type { ThreadStatus } from '#shared/model/thread.ts'
import { StatusMark } from '../parts/marks.tsx'
import { strings } from '../strings/strings.ts'

const marks: Readonly<Record<Exclude<RowStatus, 'skipped'>, ThreadStatus>> = {
  queued: 'queued',
  working: 'working',
  needs_you: 'needs_you',
  paused: 'paused',
  ok: 'done',
  failed: 'failed',
  cancelled: 'stopped',
}

/** Where one task of a batch is. */
export function RowMark({ status }: { status: RowStatus }): ReactNode {
  if (status !== 'skipped') return <StatusMark status={marks[status]} />
  return (
    <span className="inline-flex items-center gap-1 text-muted">
      <CircleSlash size={14} aria-hidden />
      <span className="text-xs">{strings.batches.skippedWord}</span>
    </span>
  )
}
