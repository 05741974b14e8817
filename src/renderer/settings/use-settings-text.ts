import { useEffect } from 'react'
import { useClient, useLoaded } from '../state/hooks.tsx'

export interface SettingsFile {
  readonly file: string
  readonly text: string
}

/** How often a file that another program may write is looked at, in milliseconds. */
const lookEvery = 2000

/** The settings file as it is now, also when another program changed it; null until it was read. */
export function useSettingsText(): readonly [SettingsFile | null, () => void] {
  const client = useClient()
  const [loaded, reload] = useLoaded('settings text', () => client.settings.text())
  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible') reload()
    }
    const timer = setInterval(look, lookEvery)
    return () => clearInterval(timer)
  }, [reload])
  return [loaded.value, reload]
}
