import { type ReactNode, useState } from 'react'
import { strings } from '../state/strings.ts'
import { contrasts, readContrast, readTheme, saveContrast, saveTheme, themes } from '../state/theme.ts'
import { Choice } from './choice.tsx'

export function AppearanceSettings(): ReactNode {
  const [theme, setTheme] = useState(() => readTheme(localStorage))
  const [contrast, setContrast] = useState(() => readContrast(localStorage))
  return (
    <>
      <Choice
        label={strings.settings.theme}
        value={theme}
        options={themes.map((each) => ({ value: each, label: strings.settings.themes[each] }))}
        onChange={(next) => {
          saveTheme(localStorage, document.documentElement, next)
          setTheme(next)
        }}
      />
      <Choice
        label={strings.settings.contrast}
        value={contrast}
        options={contrasts.map((each) => ({ value: each, label: strings.settings.contrasts[each] }))}
        onChange={(next) => {
          saveContrast(localStorage, document.documentElement, next)
          setContrast(next)
        }}
      />
    </>
  )
}
