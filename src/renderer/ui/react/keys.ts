/** Which way a key leads through the hunks of a review: `j` on, `k` back; null for other keys, and where text is typed. */
export function hunkStep(event: globalThis.KeyboardEvent): 1 | -1 | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return null
  if (event.key === 'j') return 1
  return event.key === 'k' ? -1 : null
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox])')
}
