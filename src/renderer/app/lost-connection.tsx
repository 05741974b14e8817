import { PlugZap, Unplug } from 'lucide-react'
import type { ReactNode } from 'react'
import { useApp } from '../state/hooks/hooks.tsx'
import { readDrafts } from '../state/preferences/draft.ts'
import { strings } from '../strings/strings.ts'
import { CopyButton } from '../ui/controls/copy-button.tsx'
import { Empty } from '../ui/controls/notice.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { withKeys } from '../ui/react/elements.tsx'

const labels = strings.shell

/** Says across the window that the host does not answer, because everything else still looks alive. */
export function ConnectionBanner(): ReactNode {
  const isLost = useApp((state) => state.connection === 'reconnecting')
  if (!isLost) return null
  return (
    <p role="alert" className="flex items-center gap-2 border-warn/40 border-b bg-warn-soft px-3 py-1.5">
      <PlugZap size={15} aria-hidden className="shrink-0 text-warn" />
      <span>
        <span className="font-semibold">{labels.lostTitle}</span> {labels.lostDetail}
      </span>
    </p>
  )
}

/** In place of the window when its token is not valid any more. What was typed is shown, so that nothing is lost. */
export function RefusedPage(): ReactNode {
  const drafts = readDrafts(localStorage)
  return (
    <main className="mx-auto h-full max-w-2xl overflow-auto px-4 pt-[12vh]">
      <Empty icon={<Unplug size={28} aria-hidden />} title={labels.refusedTitle} detail={labels.refusedDetail} />
      {drafts.length > 0 && (
        <section aria-label={labels.drafts}>
          <h2 className="mb-1 font-semibold">{labels.drafts}</h2>
          <ul className="flex flex-col gap-2">
            {withKeys(drafts).map(({ key, item }) => (
              <li key={key} className="flex items-start gap-2 rounded-md border border-line bg-raised p-3">
                <p className="max-h-40 min-w-0 flex-1 overflow-auto whitespace-pre-wrap [overflow-wrap:anywhere]">
                  <VisibleText text={item} />
                </p>
                <CopyButton text={item} label={labels.copyDraft} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </main>
  )
}
