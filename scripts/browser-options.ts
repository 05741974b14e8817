import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const whole = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
/** Chromium without the parts for windows runs the same pages with about a fifth less work. */
export const headless = 'chromium-headless-shell'
export const headlessFirst: readonly string[] = [headless, ...whole]
/** For pictures and benchmarks, which should be like a person's browser. */
export const wholeFirst: readonly string[] = [...whole, headless]
const places: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
  ],
}

/** The path of a program; undefined if no folder of `PATH` has it. */
export function findOnPath(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync)
}

/** The browser named by `COPPICE_BROWSER`, or else one that this system has; undefined for none. */
export function findSystemBrowser(names = headlessFirst): string | undefined {
  return (
    process.env.COPPICE_BROWSER ?? names.map(findOnPath).find(Boolean) ?? places[process.platform]?.find(existsSync)
  )
}

/** The path of a Firefox that this system has; undefined for none. */
export function findFirefox(): string | undefined {
  const mac = '/Applications/Firefox.app/Contents/MacOS/firefox'
  return ['firefox-esr', 'firefox'].map(findOnPath).find(Boolean) ?? [mac].find(existsSync)
}

const executablePath = findSystemBrowser()

/** Options for Playwright. Without a browser of the system, it starts its own. */
export const launchOptions = {
  ...(executablePath && { executablePath }),
  args: [
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ],
}
