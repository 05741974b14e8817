import { formatKeys } from '../../strings/format.ts'

/** The keyboard map: what each combination does. `Mod` is Command on a Mac and Control elsewhere. */
export const keymap = [
  { command: 'palette', keys: 'Mod+K', label: 'Search or run a command' },
  { command: 'open', keys: 'Mod+O', label: 'Open a folder' },
  { command: 'file', keys: 'Mod+P', label: 'Go to file' },
  { command: 'newThread', keys: 'Mod+Alt+N', label: 'New thread' },
  { command: 'sidebar', keys: 'Mod+B', label: 'Threads and files' },
  { command: 'inspector', keys: 'Mod+Alt+B', label: 'Inspector: todo, agents, approvals' },
  { command: 'bottom', keys: 'Mod+J', label: 'Terminal panel' },
  { command: 'terminal', keys: 'Ctrl+`', label: 'Terminal' },
  { command: 'nextApproval', keys: 'F8', label: 'Next that needs you' },
  { command: 'previousApproval', keys: 'Shift+F8', label: 'Previous that needs you' },
  { command: 'mode', keys: 'Mod+.', label: 'Next approval mode' },
  { command: 'nextRegion', keys: 'F6', label: 'Next region' },
  { command: 'keys', keys: '?', label: 'Show keyboard shortcuts' },
] as const

export type KeyCommand = (typeof keymap)[number]['command']

/** Keys that work where the focus is; listed for people, handled by the screens themselves. */
export const localKeys = [
  { keys: 'Enter', label: 'Send, or queue while an agent works' },
  { keys: 'Mod+Enter', label: 'Steer the running agent; submit an edited approval' },
  { keys: 'Shift+Enter', label: 'New line in the message' },
  { keys: 'Esc', label: 'Stop the running agent (in the message box)' },
  { keys: 'Esc Esc', label: 'Rewind (in the empty message box of an idle agent)' },
  { keys: 'Y / E / N / L', label: 'Approve, edit, reject, always allow the focused approval' },
  { keys: '] / [', label: 'Next, previous file in a review' },
  { keys: 'j / k', label: 'Next, previous change of the file in a review' },
  { keys: 'c', label: 'Comment on the focused change in a review' },
  { keys: 'Space', label: 'Select the file or folder in Changes' },
  { keys: 'm / Shift+F / Delete', label: 'Merge, force, discard the selected file' },
] as const

export interface KeyPress {
  readonly key: string
  readonly code: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
}

/** The command of a key press; a plain character is none while somebody types. */
export function commandOf(press: KeyPress, mac: boolean, typing: boolean): KeyCommand | null {
  return keymap.find(({ keys }) => matches(press, keys, mac) && !(typing && keys === '?'))?.command ?? null
}

function matches(press: KeyPress, keys: string, mac: boolean): boolean {
  const parts = keys.split('+')
  const key = parts.at(-1) ?? ''
  const wants = (name: string): boolean => parts.includes(name)
  const control = wants('Ctrl') || (wants('Mod') && !mac)
  const meta = wants('Mod') && mac
  if (press.ctrlKey !== control || press.metaKey !== meta || press.altKey !== wants('Alt')) return false
  if (key === '?') return press.key === '?'
  return press.shiftKey === wants('Shift') && (sameKey(press.key, key) || press.code === `Key${key}`)
}

function sameKey(pressed: string, key: string): boolean {
  return pressed.toLowerCase() === key.toLowerCase()
}

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** A combination of the keymap as this machine's keyboard writes it. */
export function keysHere(combination: string): string {
  return formatKeys(combination, isMac)
}
