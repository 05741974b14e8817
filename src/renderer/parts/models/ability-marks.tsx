import { Brain, Image, Wrench } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ModelAbilities } from '#shared/model/models/model-facts.ts'
import { modelStrings } from '../../strings/later/models.ts'
import { classNames } from '../../ui/react/class-names.ts'

const labels = modelStrings.can

/** What a model can do, as icons in fixed places, so that a column of them can be compared. Nothing while unknown. */
export function AbilityMarks({ can }: { can: ModelAbilities | undefined }): ReactNode {
  if (!can) return null
  const marks = [
    { Icon: Wrench, label: labels.tools, has: can.tools },
    { Icon: Image, label: labels.images, has: can.images },
    { Icon: Brain, label: labels.thinking, has: can.thinking !== 'none' },
  ]
  return (
    <span className="inline-flex shrink-0 gap-1 text-muted">
      {marks.map(({ Icon, label, has }) => (
        <span key={label} title={has ? label : undefined} className={classNames('size-3.5', !has && 'invisible')}>
          <Icon size={13} aria-hidden />
          {has && <span className="sr-only">{label}</span>}
        </span>
      ))}
    </span>
  )
}
