import { CircleAlert, Info } from 'lucide-react'
import type { ReactNode } from 'react'
import type { SettingsProblem } from '#shared/model/settings.ts'
import { strings } from '../state/strings.ts'
import { VisibleText } from '../ui/visible-text-view.tsx'

/** What is wrong in a settings text, each with its line. */
export function ProblemList({ problems }: { problems: readonly SettingsProblem[] }): ReactNode {
  return (
    <ul className="flex max-h-32 flex-col gap-1 overflow-y-auto text-xs">
      {problems.map(({ line, message, wrong }) => {
        const Icon = wrong ? CircleAlert : Info
        return (
          <li key={`${line} ${message}`} className={`flex gap-1.5 ${wrong ? 'text-bad' : 'text-muted'}`}>
            <Icon size={13} aria-hidden className="mt-0.5 shrink-0" />
            <span className="min-w-0 [overflow-wrap:anywhere]">
              <VisibleText text={strings.settingsFile.problem(line, message)} />
            </span>
          </li>
        )
      })}
    </ul>
  )
}
