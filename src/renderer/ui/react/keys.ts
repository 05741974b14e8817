/** Types of `<input>` that take no text, so that a letter pressed on them can be a shortcut. */
const typesWithoutText: ReadonlySet<string> = new Set([
  'button',
  'checkbox',
  'color',
  'file',
  'image',
  'radio',
  'range',
  'reset',
  'submit',
])

/** Whether a key pressed on `target` types text or searches a list. Then it must not act as a shortcut. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target.tagName === 'TEXTAREA' || target.tagName === 'SELECT') return true
  return target.tagName === 'INPUT' && !typesWithoutText.has(target.getAttribute('type') ?? 'text')
}

/**
 * Steps through the changes of a review: `j` is the next change, `k` the previous one. Null for other keys, and while
 * typing.
 */
export function hunkStep(event: globalThis.KeyboardEvent): 1 | -1 | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return null
  if (event.key === 'j') return 1
  return event.key === 'k' ? -1 : null
}
