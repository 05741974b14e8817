import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { eventually } from '#core/ports/eventually.testkit.ts'
import { openPage } from './open-page.ts'

const url = 'http://127.0.0.1:7420/#token=canary'
const opener = process.platform === 'darwin' ? 'open' : 'xdg-open'

/** A folder with an opener that writes its arguments to a file. */
function recordingOpener() {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-opener-'))
  const record = join(folder, 'record')
  writeFileSync(
    join(folder, opener),
    `#!/bin/sh\nprintf '%s\\n' "$@" > '${record}.part' && mv '${record}.part' '${record}'\n`,
  )
  chmodSync(join(folder, opener), 0o755)
  const environment = { PATH: `${folder}:${process.env.PATH}`, DISPLAY: ':99' }
  return { environment, read: () => eventually(() => readFileSync(record, 'utf8').trim()) }
}

it.skipIf(process.platform === 'win32')(
  'opens the browser with a private file, without the token in its command line',
  async () => {
    const { environment, read } = recordingOpener()
    const folder = mkdtempSync(join(tmpdir(), 'coppice-data-'))
    const page = openPage(url, folder, environment)
    const given = await read()
    expect(given).not.toContain('canary')
    const file = fileURLToPath(given)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).toContain(`content="0; url=${url}"`)
    page[Symbol.dispose]()
    expect(existsSync(file)).toBe(false)
  },
)

it.skipIf(process.platform === 'win32')('removes the page after a minute, and pages that a killed app left', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const folder = mkdtempSync(join(tmpdir(), 'coppice-data-'))
  const left = join(folder, 'open-left.html')
  for (const name of ['open-left.html', 'settings.json']) {
    writeFileSync(join(folder, name), '')
    utimesSync(join(folder, name), 0, 0)
  }
  openPage(url, folder, { PATH: '/nowhere', DISPLAY: ':99' })
  expect(existsSync(left)).toBe(false)
  expect(readdirSync(folder)).toHaveLength(2)
  vi.advanceTimersByTime(60_000)
  expect(readdirSync(folder)).toEqual(['settings.json'])
})

it.skipIf(process.platform !== 'linux')('does nothing without a screen', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-data-'))
  openPage(url, folder, { PATH: '/nowhere' })
  expect(readdirSync(folder)).toEqual([])
})
