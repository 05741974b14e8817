/**
 * The order of names and paths in listings: by UTF-16 code unit, so it is the same on every machine and in every
 * locale.
 */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
