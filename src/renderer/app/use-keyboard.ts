import { useEffect } from 'react'
import type { WindowCommand } from '#shared/contract/window-commands.ts'
import { useSession } from '../state/hooks/hooks.tsx'
import { commandOf, isMac } from '../state/preferences/keymap.ts'
import { mayTakeFocus } from '../ui/react/focus.ts'
import { isTyping } from '../ui/react/keys.ts'
import { runCommand } from './run-command.ts'

/** They move the focus to another part of the window, where a person does not see it while a dialog is open. */
const leadsBehind: ReadonlySet<WindowCommand> = new Set(['nextApproval', 'previousApproval', 'nextRegion'])

/** Handles the keys that work everywhere. */
export function useKeyboard(): void {
  const session = useSession()
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      const command = commandOf(event, isMac, isTyping(event.target))
      if (!command || event.defaultPrevented) return
      event.preventDefault()
      if (!leadsBehind.has(command) || mayTakeFocus(document.body)) runCommand(session, command)
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [session])
}
