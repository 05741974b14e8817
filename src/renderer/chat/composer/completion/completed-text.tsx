import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { TextArea } from '../../../ui/controls/field.tsx'
import { CompletionList, useCompletions } from './completion-list.tsx'

interface CompletedTextProps {
  readonly label: string
  readonly text: string
  /** The most lines that are shown without scrolling. */
  readonly mostRows: number
  /** Whether the field takes the focus when it appears. */
  readonly focused?: boolean
  readonly readOnly?: boolean
  readonly onText: (text: string) => void
  /** Called for keys that the list of suggestions does not use. */
  readonly onKeyDown?: (event: KeyboardEvent<HTMLTextAreaElement>) => void
}

/** A field for a message that was sent before. It completes names after `@`, and skills after `/`, like the message box. */
export function CompletedText(props: CompletedTextProps): ReactNode {
  const { label, text, mostRows, focused = false, readOnly, onText, onKeyDown } = props
  const field = useRef<HTMLTextAreaElement>(null)
  const completions = useCompletions({ field, text, setText: onText, onCommand: null })
  useEffect(() => {
    if (focused) field.current?.focus()
  }, [focused])
  return (
    <>
      {completions.open && (
        <OverPage field={field}>
          <CompletionList completions={completions} />
        </OverPage>
      )}
      <TextArea
        ref={field}
        aria-label={label}
        aria-autocomplete="list"
        aria-controls={completions.open ? completions.listId : undefined}
        aria-activedescendant={completions.activeId ?? undefined}
        rows={Math.min(text.split('\n').length, mostRows)}
        value={text}
        readOnly={readOnly}
        onChange={(event) => {
          onText(event.target.value)
          completions.onSelect()
        }}
        onSelect={completions.onSelect}
        onBlur={completions.onBlur}
        onKeyDown={(event) => {
          if (!completions.onKeyDown(event)) onKeyDown?.(event)
        }}
      />
    </>
  )
}

interface OverPageProps {
  readonly field: { readonly current: HTMLElement | null }
  readonly children: ReactNode
}

/** Places a list at a field, above everything, because the field may stand in a box that scrolls. */
function OverPage({ field, children }: OverPageProps): ReactNode {
  const [place, setPlace] = useState<DOMRect | null>(null)
  useLayoutEffect(() => {
    const measure = (): void => setPlace(field.current?.getBoundingClientRect() ?? null)
    measure()
    addEventListener('scroll', measure, true)
    addEventListener('resize', measure)
    return () => {
      removeEventListener('scroll', measure, true)
      removeEventListener('resize', measure)
    }
  }, [field])
  if (!place) return null
  const { left, width, top, bottom } = place
  const isHigh = top < innerHeight / 2
  // The list opens upwards from the lower edge of this box.
  return createPortal(
    <div
      className={isHigh ? 'fixed z-50 *:top-1 *:bottom-auto!' : 'fixed z-50'}
      style={{ left, width, top: isHigh ? bottom : top }}
    >
      {children}
    </div>,
    document.body,
  )
}
