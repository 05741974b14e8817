import { type ReactNode, useState } from 'react'
import { strings } from '../state/strings.ts'
import { readTheme, saveTheme, themes } from '../state/theme.ts'
import { Choice } from './choice.tsx'

export function AppearanceSettings(): ReactNode {
  const [theme, setTheme] = useState(() => readTheme(localStorage))
  return (
    <Choice
      label={strings.settings.theme}
      value={theme}
      options={themes.map((each) => ({ value: each, label: strings.settings.themes[each] }))}
      onChange={(next) => {
        saveTheme(localStorage, document.documentElement, next)
        setTheme(next)
      }}
    />
  )
}
