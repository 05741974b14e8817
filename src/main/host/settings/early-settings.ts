import { join } from 'node:path'
import { readSettings } from '#adapters/settings/settings-file.ts'

/**
 * The settings that a frontend needs before it can open a host. What cannot be read gives the usual ones: the host says
 * what is wrong with it.
 */
export function readEarlySettings(dataFolder: string, settingsFile: string | null): { readonly gpu: 'auto' | 'off' } {
  try {
    const own = readSettings(join(dataFolder, 'settings.json')).settings.gpu
    const given = settingsFile === null ? undefined : readSettings(settingsFile).settings.gpu
    return { gpu: given ?? own ?? 'auto' }
  } catch {
    return { gpu: 'auto' }
  }
}
