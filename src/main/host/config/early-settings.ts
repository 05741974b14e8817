import { join } from 'node:path'
import { readSettings } from '#adapters/settings/settings-file.ts'

/** The settings that a frontend needs before it can open a host. A damaged file gives the usual ones. */
export function readEarlySettings(dataFolder: string, settingsFile: string | null): { readonly gpu: 'auto' | 'off' } {
  const own = readSettings(join(dataFolder, 'settings.json')).settings.gpu
  const given = settingsFile === null ? undefined : readSettings(settingsFile).settings.gpu
  return { gpu: given ?? own ?? 'auto' }
}
