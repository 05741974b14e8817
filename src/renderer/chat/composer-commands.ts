import { strings } from '../state/strings.ts'
import { showChangesDialog, showRewind, type ViewState } from '../state/view.ts'

export type ComposerCommand = keyof typeof strings.chat.commands

/** What a message that starts with a slash may be instead of a message. */
export const composerCommands = Object.keys(strings.chat.commands) as readonly ComposerCommand[]

/** The command a message is; null for a message. */
export function commandIn(text: string): ComposerCommand | null {
  const name = text.trim().slice(1)
  return text.trim().startsWith('/') ? (composerCommands.find((command) => command === name) ?? null) : null
}

/** What a command shows; `compact` shows nothing, it asks the agent. */
export function viewFor(command: Exclude<ComposerCommand, 'compact'>, view: ViewState): ViewState {
  switch (command) {
    case 'rewind':
      return showRewind(view, null)
    case 'export':
    case 'apply':
      return showChangesDialog(view, command)
    case 'help':
      return { ...view, overlay: 'keys' }
  }
}
