import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { classNames } from '../react/class-names.ts'
import { reachable } from '../react/elements.tsx'
import { VisibleText } from './visible-text.tsx'

interface DialogProps {
  readonly title: string
  readonly closeLabel: string
  readonly description?: string
  readonly wide?: boolean
  /** Set for a content without controls, so that the keyboard can scroll it. */
  readonly plain?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
  readonly footer?: ReactNode
}

/** A window over the page. Takes the focus, and gives it back when it closes. */
export function Dialog(props: DialogProps): ReactNode {
  const { title, closeLabel, description, wide, plain = false, onClose, children, footer } = props
  return (
    <Base.Root open onOpenChange={(open) => open || onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-[rgb(0_0_0/0.4)]" />
        <Base.Popup
          className={classNames(
            'fixed inset-x-2 top-[8vh] z-50 mx-auto flex max-h-[84vh] flex-col rounded-lg border border-line-strong bg-raised outline-none',
            wide ? 'max-w-4xl' : 'max-w-xl',
          )}
        >
          <header className="flex items-start gap-3 border-line border-b px-4 py-3">
            <div className="min-w-0 flex-1">
              <Base.Title className="font-semibold text-base">
                <VisibleText text={title} />
              </Base.Title>
              {description && <Base.Description className="text-muted">{description}</Base.Description>}
            </div>
            <Base.Close
              aria-label={closeLabel}
              className="inline-flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover"
            >
              <X size={15} aria-hidden />
            </Base.Close>
          </header>
          <div {...(plain && reachable)} className="min-h-0 flex-1 overflow-auto p-4">
            {children}
          </div>
          {footer && (
            <footer className="flex flex-wrap justify-end gap-2 border-line border-t px-4 py-3">{footer}</footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
