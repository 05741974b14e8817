import { listedCommands, type WindowCommand } from '#shared/contract/window-commands.ts'
import { formatKeys } from '#shared/text/format.ts'
import { strings } from '../../strings/strings.ts'

const { local: localLabels } = strings.keys

/** Commands whose keys belong to the focused screen, or to the app around the window. */
const elsewhere = ['stop', 'rewind', 'newWindow'] as const satisfies readonly WindowCommand[]

/** The commands with keys that work everywhere in the window, in the order of the list of shortcuts. */
export const keymap = listedCommands.filter(({ id, keys }) => keys !== '' && !elsewhere.some((one) => one === id))

/** Keys that depend on the focus. They are listed here for people; the screens handle them. */
export const localKeys = [
  { keys: 'Enter', label: localLabels.send },
  { keys: 'Mod+Enter', label: localLabels.steer },
  { keys: 'Alt+Enter', label: localLabels.step },
  { keys: 'Shift+Enter', label: localLabels.newLine },
  { keys: 'Esc', label: localLabels.stop },
  { keys: 'Esc Esc', label: localLabels.rewind },
  { keys: 'Y / E / N / L', label: localLabels.decide },
  { keys: '] / [', label: localLabels.file },
  { keys: 'j / k', label: localLabels.change },
  { keys: 'c', label: localLabels.comment },
  { keys: 'v', label: localLabels.viewed },
  { keys: 'Mod+F', label: localLabels.findChanges },
  { keys: 'Space', label: localLabels.select },
  { keys: '↑ / ↓ / ← / →', label: localLabels.card },
  { keys: 'Alt+↑ / ↓ / ← / →', label: localLabels.moveCard },
  { keys: 'Enter / Delete', label: localLabels.editCard },
  { keys: 'm / Shift+F / Delete', label: localLabels.merge },
  { keys: '1 / 2 / 3', label: localLabels.decideConflict },
  { keys: 'n / p', label: localLabels.conflict },
  { keys: 'x', label: localLabels.chooseBranch },
  { keys: 'o', label: localLabels.checkOutput },
  { keys: 'Shift+G', label: localLabels.timeline },
] as const

export interface KeyPress {
  readonly key: string
  readonly code: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
}

/** The command of a key press; null for none. A plain character triggers nothing while somebody types. */
export function commandOf(press: KeyPress, mac: boolean, typing: boolean): WindowCommand | null {
  return keymap.find(({ keys }) => matches(press, keys, mac) && !(typing && keys === '?'))?.id ?? null
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

/** A combination of the keymap, in the notation of this machine. */
export function keysHere(combination: string): string {
  return formatKeys(combination, isMac)
}
