import { type ReactNode, useEffect, useRef } from 'react'
import { runsAtOnce, sanitisePaste } from './input.ts'
import type { Screen } from './screen.ts'

interface ScreenViewProps {
  readonly screen: Screen
  /** Called in place of a paste that the shell would run at once. Absent for a read-only screen. */
  readonly onPaste?: (text: string) => void
}

/** Shows a terminal's screen in the page. */
export function ScreenView({ screen, onPaste }: ScreenViewProps): ReactNode {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => (host.current ? screen.mount(host.current) : undefined), [screen])
  useEffect(() => {
    const element = host.current
    if (!element || !onPaste) return
    screen.terminal.focus()
    const paste = (event: ClipboardEvent): void => {
      event.preventDefault()
      event.stopPropagation()
      const text = sanitisePaste(event.clipboardData?.getData('text/plain') ?? '')
      if (runsAtOnce(text, screen.terminal.modes.bracketedPasteMode)) onPaste(text)
      else screen.terminal.paste(text)
    }
    element.addEventListener('paste', paste, { capture: true })
    return () => element.removeEventListener('paste', paste, { capture: true })
  }, [screen, onPaste])
  return <div ref={host} className="min-h-0 flex-1 px-2 py-1" />
}
