import { holdFocus } from '../ui/react/focus.ts'

/** Marks the box in which a person writes to the agent. */
export const messageBoxMark = { 'data-message-box': '' }

/** Focuses the message box of the chat that is about to be shown, so that a person can type at once. */
export function focusMessageBox(): void {
  holdFocus(() => document.querySelector<HTMLElement>('[data-message-box]'))
}
