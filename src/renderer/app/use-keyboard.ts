import { useEffect } from 'react'
import { useSession } from '../state/hooks/hooks.tsx'
import { commandOf, isMac } from '../state/preferences/keymap.ts'
import { isTyping } from '../ui/react/keys.ts'
import { runCommand } from './run-command.ts'

/** Handles the keys that work everywhere. */
export function useKeyboard(): void {
  const session = useSession()
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      const command = commandOf(event, isMac, isTyping(event.target))
      if (!command || event.defaultPrevented) return
      event.preventDefault()
      runCommand(session, command)
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [session])
}
