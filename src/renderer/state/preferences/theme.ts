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

export const contrasts = ['system', 'more'] as const
type Contrast = (typeof contrasts)[number]

const contrastKey = 'coppice-contrast'

export function readContrast(storage: Storage): Contrast {
  return storage.getItem(contrastKey) === 'more' ? 'more' : 'system'
}

export function saveContrast(storage: Storage, root: HTMLElement, contrast: Contrast): void {
  storage.setItem(contrastKey, contrast)
  applyContrast(root, contrast)
}

/** `system` leaves the choice to the media query of the style sheet. */
export function applyContrast(root: HTMLElement, contrast: Contrast): void {
  if (contrast === 'system') delete root.dataset.contrast
  else root.dataset.contrast = contrast
}
