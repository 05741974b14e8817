import { readChoice, type SavedStorage, writeChoice } from './saved.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'coppice-theme'

/** The saved theme; `system` if none was saved. */
export function readTheme(storage: SavedStorage): Theme {
  return readChoice(storage, key, themes) ?? 'system'
}

/** Saves the theme and shows it on `root`. */
export function saveTheme(storage: SavedStorage, root: HTMLElement, theme: Theme): void {
  writeChoice(storage, key, theme)
  applyTheme(root, theme)
}

/** Shows a theme on `root`. `system` lets the style sheet's media query choose. */
export function applyTheme(root: HTMLElement, theme: Theme): void {
  if (theme === 'system') delete root.dataset.theme
  else root.dataset.theme = theme
}

/** The theme that the theme button changes to. */
export function nextTheme(theme: Theme): Theme {
  return themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
}

export const contrasts = ['system', 'more'] as const
type Contrast = (typeof contrasts)[number]

const contrastKey = 'coppice-contrast'

/** The saved contrast; `system` if none was saved. */
export function readContrast(storage: SavedStorage): Contrast {
  return readChoice(storage, contrastKey, contrasts) ?? 'system'
}

/** Saves the contrast and shows it on `root`. */
export function saveContrast(storage: SavedStorage, root: HTMLElement, contrast: Contrast): void {
  writeChoice(storage, contrastKey, contrast)
  applyContrast(root, contrast)
}

/** Shows a contrast on `root`. `system` lets the style sheet's media query choose. */
export function applyContrast(root: HTMLElement, contrast: Contrast): void {
  if (contrast === 'system') delete root.dataset.contrast
  else root.dataset.contrast = contrast
}
