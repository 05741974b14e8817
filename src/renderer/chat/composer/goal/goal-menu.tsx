import { ChevronDown, Target } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { Goal } from '#shared/model/check.ts'
import { strings } from '../../../strings/strings.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { Menu } from '../../../ui/controls/menu.tsx'

const CriteriaDialog = lazy(async () => ({ default: (await import('./criteria-dialog.tsx')).CriteriaDialog }))

const labels = strings.checks.goal
const attemptChoices = [1, 3, 5, 10]

interface GoalMenuProps {
  readonly goal: Goal
  readonly onChoose: (goal: Goal | null) => void
}

/** What a thread must reach before it is done: how often its agent is sent back, or no goal at all. */
export function GoalMenu({ goal, onChoose }: GoalMenuProps): ReactNode {
  const [isWriting, setWriting] = useState(false)
  return (
    <>
      <Menu
        trigger={
          <Button tone="quiet" icon={<Target size={14} aria-hidden />} aria-label={labels.chipLabel(goal.attempts)}>
            {labels.chip(goal.attempts)}
            <ChevronDown size={13} aria-hidden />
          </Button>
        }
        choices={[
          ...attemptChoices.map((attempts) => ({
            id: String(attempts),
            label: labels.attempts(attempts),
            checked: attempts === goal.attempts,
            onSelect: () => onChoose({ ...goal, attempts }),
          })),
          { id: 'criteria', label: labels.criteria(Boolean(goal.criteria)), onSelect: () => setWriting(true) },
          { id: 'none', label: labels.none, hint: labels.noneHint, onSelect: () => onChoose(null) },
        ]}
      />
      {isWriting && (
        <Suspense>
          <CriteriaDialog goal={goal} onChoose={onChoose} onClose={() => setWriting(false)} />
        </Suspense>
      )}
    </>
  )
}
