import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { UpdaterError } from '#host/updates/updater.ts'
import { type AutoUpdater, createElectronUpdater, takeProxy } from './electron-updater.ts'

type Check = Awaited<ReturnType<AutoUpdater['checkForUpdates']>>

/** What electron-updater would do, by its own types. */
function recordUpdater(found: Partial<NonNullable<Check>> | null, problem?: object) {
  const steps: string[] = []
  const updater = Object.assign(new EventEmitter(), {
    autoDownload: true,
    autoInstallOnAppQuit: true,
    allowDowngrade: true,
    allowPrerelease: true,
    logger: {} as AutoUpdater['logger'],
    async checkForUpdates() {
      if (problem) throw Object.assign(new Error('raw'), problem)
      return found as Check
    },
    async downloadUpdate() {
      updater.emit('download-progress', { percent: 40 })
      if (problem) throw Object.assign(new Error('raw'), problem)
      return ['/file']
    },
    netSession: { setProxy: async (given: object) => void steps.push(`proxy ${JSON.stringify(given)}`) },
    quitAndInstall: (...given: readonly unknown[]) => void steps.push(`install ${given}`),
  } satisfies AutoUpdaterParts)
  return { updater, steps }
}
type AutoUpdaterParts = { readonly [Name in keyof Omit<AutoUpdater, 'on'>]: AutoUpdater[Name] }

const giveUp = () => undefined
const info = (releaseNotes: string | null) =>
  ({ isUpdateAvailable: true, updateInfo: { version: '2.0.0', releaseNotes } }) as Partial<NonNullable<Check>>

describe('updates of electron-updater', () => {
  it('go through a proxy, which alone gets its login', async () => {
    const { updater, steps } = recordUpdater(null)
    const login = { name: 'me', password: 'secret' }
    await takeProxy(updater, { rules: 'https=http://proxy.example:1', direct: 'own.example', login })
    const answers: unknown[] = []
    for (const isProxy of [true, false])
      updater.emit('login', { isProxy }, (...given: unknown[]) => answers.push(given))
    expect(steps).toEqual([
      'proxy {"mode":"fixed_servers","proxyRules":"https=http://proxy.example:1","proxyBypassRules":"own.example"}',
    ])
    expect(answers).toEqual([['me', 'secret'], []])
  })

  it('download and install nothing by themselves, and never an older or unfinished version', () => {
    const { updater } = recordUpdater(null)
    createElectronUpdater(updater, async () => undefined, giveUp)
    expect(updater).toMatchObject({
      autoDownload: false,
      autoInstallOnAppQuit: false,
      allowDowngrade: false,
      allowPrerelease: false,
      logger: null,
    })
  })

  it('are none when this version is the latest', async () => {
    const current = recordUpdater({ isUpdateAvailable: false })
    expect(await createElectronUpdater(current.updater, async () => undefined, giveUp).check()).toBeNull()
    expect(await createElectronUpdater(recordUpdater(null).updater, async () => undefined, giveUp).check()).toBeNull()
  })

  it('tell their notes as Markdown, also those that came as HTML', async () => {
    const notesOf = async (notes: string | null) =>
      (await createElectronUpdater(recordUpdater(info(notes)).updater, async () => undefined, giveUp).check())?.notes
    expect(await notesOf('## New\n\n- a < b')).toBe('## New\n\n- a < b')
    expect(await notesOf('<h2>New</h2><ul><li>one &amp; two</li><li><b>three</b></li></ul>')).toBe(
      '## New\n\n- one & two\n- three',
    )
    expect(await notesOf(null)).toBe('')
  })

  it('report the finished share, and store everything before the app ends', async () => {
    const { updater, steps } = recordUpdater(info(''))
    const made = createElectronUpdater(updater, async () => void steps.push('stored'), giveUp)
    const shares: number[] = []
    await made.download((share) => shares.push(share))
    await made.install()
    expect([shares, steps]).toEqual([[0.4], ['stored', 'install false,true']])
  })

  it('start the app again, once, when the installation fails after everything was stored', async () => {
    const { updater } = recordUpdater(info(''))
    const failed: unknown[] = []
    const made = createElectronUpdater(
      updater,
      async () => undefined,
      (error) => failed.push(error),
    )
    updater.emit('error', new Error('of a check'))
    await made.install()
    updater.emit('error', new Error('no rights'))
    updater.emit('error', new Error('again'))
    expect(failed).toEqual([new Error('no rights')])
  })

  it.each([
    [{ code: 'ENOSPC' }, 'disk', 'no room on the disk'],
    [{ code: 'ENOTFOUND' }, 'network', 'does not answer'],
    [{ message: 'net::ERR_INTERNET_DISCONNECTED' }, 'network', 'does not answer'],
    [{ code: 'ERR_CHECKSUM_MISMATCH' }, 'damaged', 'thrown away'],
    [{ message: 'sha512 checksum mismatch, expected a, got b' }, 'damaged', 'thrown away'],
    [{ code: 'EROFS' }, 'refused', 'Install the new version yourself'],
    [{ code: 'ERR_UPDATER_LATEST_VERSION_NOT_FOUND', message: 'odd\nstack' }, 'other', 'The update did not come. odd'],
  ] as const)('say %o as %s, in words for a person', async (problem, kind, words) => {
    const { updater } = recordUpdater(info(''), problem)
    const failed = await createElectronUpdater(updater, async () => undefined, giveUp)
      .download(() => undefined)
      .catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(UpdaterError)
    expect(failed).toMatchObject({ problem: kind, message: expect.stringContaining(words) })
  })
})
