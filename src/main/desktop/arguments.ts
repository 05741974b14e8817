import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

/** What a person wrote when they started the app. */
export interface DesktopArguments {
  /** Absolute; null for none. Nobody looked yet whether it is there. */
  readonly folder: string | null
  readonly dataFolder: string | null
  readonly settingsFile: string | null
  readonly isGpuOff: boolean
}

/** Reads the words after the program. Words of Chromium and of Electron are passed over. */
export function parseDesktopArguments(words: readonly string[], workingFolder: string): DesktopArguments {
  const { values, positionals } = parseArgs({
    args: [...words],
    options: {
      'data-dir': { type: 'string' },
      settings: { type: 'string' },
      'disable-gpu': { type: 'boolean' },
    },
    allowPositionals: true,
    strict: false,
  })
  const [folder] = positionals
  return {
    folder: folder === undefined ? null : resolve(workingFolder, folder),
    dataFolder: text(values['data-dir']),
    settingsFile: text(values.settings),
    isGpuOff: values['disable-gpu'] === true,
  }
}

/** The words of a start without the program, and in development without the app's folder. */
export function wordsOf(argv: readonly string[], isPackaged: boolean): readonly string[] {
  return argv.slice(isPackaged ? 1 : 2)
}

function text(value: string | boolean | undefined): string | null {
  return typeof value === 'string' ? value : null
}
