/** True when no element has the focus, for example because the one that had it was removed. */
export function isFocusNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}

/** False for what lies behind an open dialog. A dialog keeps the focus, whatever is rendered behind it. */
export function mayTakeFocus(element: Element): boolean {
  const dialogs = document.querySelectorAll('[role="dialog"], [role="alertdialog"]')
  return [...dialogs].every((dialog) => dialog.contains(element))
}
