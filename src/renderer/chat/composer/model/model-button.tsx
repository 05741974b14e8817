import { ChevronDown, Gauge, Sparkles } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import type { ModelChoice } from '#shared/contract/views/app.ts'
import type { Effort } from '#shared/model/models/model-facts.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { useApp } from '../../../state/hooks/hooks.tsx'
import { modelName } from '../../../state/store/selectors.ts'
import { strings } from '../../../strings/strings.ts'
import { Button } from '../../../ui/controls/button.tsx'
import { chosenEffort, type EffortChoice, offeredBy, offersEffort } from './effort-choice.ts'

const ThreadModelPicker = lazy(async () => ({ default: (await import('./thread-model-picker.tsx')).ThreadModelPicker }))
const EffortPicker = lazy(async () => ({ default: (await import('./effort-picker.tsx')).EffortPicker }))

const labels = strings.chat

interface ModelButtonProps {
  /** Null for a new thread. */
  readonly thread: ThreadState | null
  readonly model: string
  readonly onChoose: (model: string) => void
}

/** Names the model of the next message. Opens the search over all models. */
export function ModelButton({ thread, model, onChoose }: ModelButtonProps): ReactNode {
  const name = useApp((state) => modelName(state, model))
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  return (
    <>
      <Button
        ref={button}
        tone="quiet"
        icon={<Sparkles size={14} aria-hidden />}
        aria-label={`${labels.model}: ${name}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        title={model}
        className="min-w-24 max-w-64 shrink!"
        onClick={() => setOpen(!isOpen)}
      >
        <span className="truncate">{name}</span>
        <ChevronDown size={13} aria-hidden className="shrink-0" />
      </Button>
      {isOpen && (
        <Suspense>
          <ThreadModelPicker
            anchor={button}
            thread={thread}
            chosen={model}
            onChoose={onChoose}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  )
}

interface EffortButtonProps {
  readonly model: ModelChoice | undefined
  readonly choice: EffortChoice
  readonly onChoose: (choice: Partial<EffortChoice>) => void
}

/** How much the model thinks. Nothing is shown for a model that offers no choice. */
export function EffortButton({ model, choice, onChoose }: EffortButtonProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const can = offeredBy(model)
  if (!can || !offersEffort(can)) return null
  const { effort, thinking } = chosenEffort(choice, can)
  const name = nameOf(effort, thinking)
  return (
    <>
      <Button
        ref={button}
        tone="quiet"
        icon={<Gauge size={14} aria-hidden />}
        aria-label={`${labels.effort}: ${name}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        title={`${labels.effort}: ${name}`}
        onClick={() => setOpen(!isOpen)}
      >
        {effort === null && thinking !== false ? labels.effort : name}
      </Button>
      {isOpen && (
        <Suspense>
          <EffortPicker anchor={button} can={can} choice={choice} onChoose={onChoose} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

function nameOf(effort: Effort | null, thinking: boolean | null): string {
  const name = effort === null ? labels.usualEffort : labels.efforts[effort]
  return thinking === false ? `${name}, ${labels.noThinking}` : name
}
