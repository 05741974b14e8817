import { Snowflake } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { answeringModel, type ThreadState } from '#shared/model/thread.ts'
import { formatCount, formatMoney } from '#shared/text/format.ts'
import { useApp } from '../../../state/hooks/hooks.tsx'
import { isRunning } from '../../../state/store/selectors.ts'
import { coldCacheStrings } from '../../../strings/later/cold-cache.ts'
import { cacheEnd, findColdRead } from './cold-cache.ts'

const labels = coldCacheStrings

/** Says what the next message costs before it is written, when the model must read a long conversation again. */
export function ColdCacheNote({ thread }: { thread: ThreadState }): ReactNode {
  const times = useApp((state) => state.timeline.messageTimes)
  const model = useApp((state) => state.info?.provider.models.find(({ id }) => id === answeringModel(thread)))
  const end = cacheEnd(thread, times)
  const now = usePassed(end)
  const read = isRunning(thread) ? null : findColdRead(thread, model, { end, now })
  if (!read) return null
  const tokens = formatCount(read.tokens)
  return (
    <p className="flex gap-1.5 px-1 text-muted text-xs">
      <Snowflake size={13} aria-hidden className="mt-px shrink-0" />
      <span>
        {read.cost === null ? labels.tokens(tokens) : labels.priced(tokens, formatMoney(read.cost))}{' '}
        {labels.because[read.because]}
      </span>
    </p>
  )
}

/** The time, renewed once: when the given moment has passed. */
function usePassed(moment: number | null): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    setNow(Date.now())
    if (moment === null || moment <= Date.now()) return
    const timer = setTimeout(() => setNow(Date.now()), moment - Date.now())
    return () => clearTimeout(timer)
  }, [moment])
  return now
}
