const named = 'label, legend, h3, button'

/** Brings a field of the page to sight and into focus once it is there; `label` is what it is called on screen. */
export function revealField(page: HTMLElement, label: string, framesLeft = 60): void {
  const found = [...page.querySelectorAll<HTMLElement>(named)].find((one) => one.textContent?.trim().startsWith(label))
  if (!found) {
    if (framesLeft > 0) requestAnimationFrame(() => revealField(page, label, framesLeft - 1))
    return
  }
  found.scrollIntoView({ block: 'center' })
  focusable(found)?.focus({ preventScroll: true })
}

function focusable(found: HTMLElement): HTMLElement | null | undefined {
  if (found instanceof HTMLButtonElement) return found
  if (found instanceof HTMLLabelElement && found.control) return found.control
  return (found.parentElement ?? found).querySelector<HTMLElement>('input, button, textarea, select')
}
