import { GitBranch, HardDriveDownload, MessageCircleQuestion } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSavedChoice } from '../state/preferences/use-saved-choice.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { withKeys } from '../ui/react/elements.tsx'

const labels = strings.home.tour
const icons = [GitBranch, MessageCircleQuestion, HardDriveDownload]
const states = ['open', 'hidden'] as const

/** What a newcomer has to know, in three steps. It stays until it is hidden, and comes back from the same place. */
export function Tour(): ReactNode {
  const [state, choose] = useSavedChoice('coppice-tour', states)
  if (state === 'hidden') {
    return (
      <Button tone="quiet" className="self-start" onClick={() => choose('open')}>
        {labels.show}
      </Button>
    )
  }
  return (
    <section aria-label={labels.title} className="rounded-lg border border-line bg-panel p-4">
      <div className="flex items-center">
        <h2 className="flex-1 font-semibold">{labels.title}</h2>
        <Button tone="quiet" onClick={() => choose('hidden')}>
          {labels.hide}
        </Button>
      </div>
      <ol className="mt-2 grid gap-x-6 gap-y-3 sm:grid-cols-3">
        {withKeys(labels.steps).map(({ key, item: { title, text } }, index) => {
          const Icon = icons[index] ?? GitBranch
          return (
            <li key={key} className="flex flex-col gap-1">
              <span className="flex items-center gap-2 font-medium">
                <Icon size={15} aria-hidden className="shrink-0 text-accent" />
                {title}
              </span>
              <span className="text-pretty text-muted">{text}</span>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
