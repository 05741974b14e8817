import { Popover } from '@base-ui/react/popover'
import { type ReactNode, type RefObject, useId } from 'react'
import { modelStrings } from '../../../strings/later/models.ts'
import { strings } from '../../../strings/strings.ts'
import { chosenEffort, type EffortChoice, type Offered, offersThinking } from './effort-choice.ts'

const labels = modelStrings

interface EffortPickerProps {
  /** The button that opened it. It gets the focus back. */
  readonly anchor: RefObject<HTMLElement | null>
  readonly can: Offered
  readonly choice: EffortChoice
  readonly onChoose: (choice: Partial<EffortChoice>) => void
  readonly onClose: () => void
}

/** What a model offers, each with a sentence. It stays open, so that effort and thinking can both be chosen. */
export function EffortPicker({ anchor, can, choice, onChoose, onClose }: EffortPickerProps): ReactNode {
  const { effort, thinking } = chosenEffort(choice, can)
  const lost = choice.effort !== null && effort === null ? choice.effort : null
  return (
    <Popover.Root open onOpenChange={(open) => open || onClose()}>
      <Popover.Portal>
        <Popover.Positioner
          anchor={anchor}
          side="top"
          sideOffset={4}
          align="start"
          className="z-50 max-w-(--available-width)"
        >
          <Popover.Popup
            finalFocus={anchor}
            aria-label={labels.effort.title}
            className="flex max-h-(--available-height) w-80 max-w-full flex-col gap-2 overflow-y-auto rounded-lg border border-line-strong bg-raised p-2 outline-none"
          >
            {can.efforts.length > 0 && (
              <Radios
                title={labels.effort.title}
                about={labels.effort.about}
                value={effort}
                options={[
                  { value: null, label: labels.effort.usual, hint: labels.effort.usualHint },
                  ...can.efforts.map((each) => ({
                    value: each,
                    label: strings.chat.efforts[each],
                    hint: labels.effort.hints[each],
                  })),
                ]}
                onChoose={(next) => onChoose({ effort: next })}
              />
            )}
            {lost !== null && (
              <p className="px-2 text-muted text-xs">{labels.effort.keptAway(strings.chat.efforts[lost])}</p>
            )}
            {can.thinking !== 'none' && (
              <Radios
                title={labels.thinking.title}
                about={labels.thinking.about[can.thinking]}
                value={thinking}
                options={
                  offersThinking(can)
                    ? [
                        { value: null, label: labels.thinking.usual, hint: labels.thinking.usualHint },
                        { value: true, label: labels.thinking.on, hint: labels.thinking.onHint },
                        { value: false, label: labels.thinking.off, hint: labels.thinking.offHint },
                      ]
                    : []
                }
                onChoose={(next) => onChoose({ thinking: next })}
              />
            )}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

interface RadiosProps<Value> {
  readonly title: string
  readonly about: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly label: string; readonly hint: string }[]
  readonly onChoose: (value: Value) => void
}

function Radios<Value>({ title, about, value, options, onChoose }: RadiosProps<Value>): ReactNode {
  const name = useId()
  return (
    <fieldset>
      <legend className="px-2 font-semibold">{title}</legend>
      <p className="px-2 pb-1 text-muted text-xs">{about}</p>
      {options.map((option) => (
        <label
          key={option.label}
          className="flex cursor-pointer items-start gap-2 rounded-md px-2 py-1 hover:bg-hover has-focus-visible:bg-hover"
        >
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChoose(option.value)}
            className="mt-0.5 size-4 shrink-0 accent-accent-solid"
          />
          <span>
            <span className="block">{option.label}</span>
            <span className="block text-muted text-xs">{option.hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
