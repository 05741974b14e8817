export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'coppice-theme'

export function readTheme(storage: Storage): Theme {
  return themes.find((theme) => theme === storage.getItem(key)) ?? 'system'
}

export function saveTheme(storage: Storage, root: HTMLElement, theme: Theme): void {
  storage.setItem(key, theme)
  applyTheme(root, theme)
}

/** `system` leaves the choice to the media query of the style sheet. */
export function applyTheme(root: HTMLElement, theme: Theme): void {
  if (theme === 'system') delete root.dataset.theme
  else root.dataset.theme = theme
}

export function nextTheme(theme: Theme): Theme {
  return themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
}
