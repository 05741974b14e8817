import { formatKeys } from '../ui/format.ts'

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** A combination of the keymap as this machine's keyboard writes it. */
export function keysHere(combination: string): string {
  return formatKeys(combination, isMac)
}
