import { windowCommands } from '#shared/model/messages/built-in-commands.ts'
import { showChangesDialog, showHistory, showRewind, startThread, type UiState } from '../../../state/store/ui-state.ts'

/** Something that a list can complete: a name after `@`, or a command after `/` at the very start. */
export interface Completion {
  readonly sign: '@' | '/'
  readonly start: number
  /** The text after the sign. */
  readonly query: string
}

/** The completion at the caret; null for none. `user@example.com` has none, because `@` must begin a word. */
export function completionAt(text: string, caret: number): Completion | null {
  const before = text.slice(0, caret)
  const command = /^\/([\p{L}\p{N}._:-]*)$/u.exec(before)
  if (command) return { sign: '/', start: 0, query: command[1] ?? '' }
  const match = /(^|[\s([{"'])@([^\s@]*)$/.exec(before)
  if (!match) return null
  const query = match[2] ?? ''
  return { sign: '@', start: caret - query.length - 1, query }
}

/** The text with the completed name, and the new position of the caret. */
export function complete(
  text: string,
  { sign, start, query }: Completion,
  name: string,
): { text: string; caret: number } {
  const inserted = `${sign}${name} `
  const end = start + 1 + query.length
  return { text: text.slice(0, start) + inserted + text.slice(end), caret: start + inserted.length }
}

/** What stays in the box when a command is chosen: the text behind its word, or behind what was typed of it. */
export function textWithoutCommand(text: string, { start, query }: Completion, name: string): string {
  const [word = ''] = /^\S*/.exec(text.slice(start + 1)) ?? []
  return text.slice(start + 1 + (word === name ? word : query).length).trimStart()
}

/** A command that a person can type in place of a message, without its slash. */
export type ComposerCommand = (typeof windowCommands)[number]

/** The command in a text such as `/rewind`; null for a message. */
export function commandIn(text: string): ComposerCommand | null {
  const name = text.trim().slice(1)
  return text.trim().startsWith('/') ? (windowCommands.find((command) => command === name) ?? null) : null
}

/** Shows the screen that a command asks for. `compact` is left out: it asks the agent and shows nothing. */
export function showCommand(command: Exclude<ComposerCommand, 'compact'>, ui: UiState): UiState {
  switch (command) {
    case 'new':
      return startThread(ui)
    case 'rewind':
      return showRewind(ui, null)
    case 'export':
    case 'apply':
      return showChangesDialog(ui, command)
    case 'context':
      return { ...ui, overlay: 'context' }
    case 'changes':
    case 'branches':
    case 'board':
      return { ...ui, tab: command }
    case 'history':
      return showHistory(ui)
    case 'memory':
    case 'skills':
    case 'usage':
      return { ...ui, route: 'settings', settingsSection: command, memory: null }
    case 'settings':
      return { ...ui, route: 'settings' }
    case 'help':
      return { ...ui, overlay: 'keys' }
  }
}
