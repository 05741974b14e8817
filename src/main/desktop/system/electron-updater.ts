import type { AppUpdater, UpdateInfo } from 'electron-updater'
import type { UpdateProxy } from '#host/updates/update-proxy.ts'
import { type Updater, UpdaterError } from '#host/updates/updater.ts'
import type { NewVersion, UpdateProblem } from '#shared/contract/views/updates.ts'

/** The parts of electron-updater that are used. */
export type AutoUpdater = Pick<
  AppUpdater,
  | 'autoDownload'
  | 'autoInstallOnAppQuit'
  | 'allowDowngrade'
  | 'allowPrerelease'
  | 'logger'
  | 'checkForUpdates'
  | 'downloadUpdate'
  | 'quitAndInstall'
> & {
  on(event: 'download-progress', listener: (info: { readonly percent: number }) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(
    event: 'login',
    listener: (asks: { readonly isProxy: boolean }, answer: (name?: string, password?: string) => void) => void,
  ): unknown
  readonly netSession: Pick<AppUpdater['netSession'], 'setProxy'>
}

/** Leads updates through the proxy of the environment, and answers when it asks for a login. */
export async function takeProxy(updater: AutoUpdater, { rules, direct, login }: UpdateProxy): Promise<void> {
  updater.on('login', ({ isProxy }, answer) => (isProxy && login ? answer(login.name, login.password) : answer()))
  await updater.netSession.setProxy({ mode: 'fixed_servers', proxyRules: rules, proxyBypassRules: direct })
}

/**
 * Updates from the releases of the project, one step at a time and only on request. electron-updater checks the size,
 * the hash and, where there is one, the signature of what it downloads. `store` stores everything before the end.
 * `giveUp` is called once when the installation fails after that, and starts the app again.
 */
export function createElectronUpdater(
  updater: AutoUpdater,
  store: () => Promise<void>,
  giveUp: (error: unknown) => void,
): Updater {
  updater.autoDownload = false
  updater.autoInstallOnAppQuit = false
  updater.allowDowngrade = false
  updater.allowPrerelease = false
  updater.logger = null
  let onShare: (share: number) => void = () => undefined
  updater.on('download-progress', ({ percent }) => onShare(percent / 100))
  let isStored = false
  function fail(error: unknown): void {
    if (!isStored) return
    isStored = false
    giveUp(error)
  }
  // Errors of the installation come as an event only. Those of a check and a download are thrown, too.
  updater.on('error', fail)
  return {
    async check() {
      const result = await updater.checkForUpdates().catch(refuse)
      return result?.isUpdateAvailable ? newVersion(result.updateInfo) : null
    },
    async download(listener) {
      onShare = listener
      await updater.downloadUpdate().catch(refuse)
    },
    async install() {
      await store()
      isStored = true
      try {
        updater.quitAndInstall(false, true)
      } catch (error) {
        fail(error)
      }
    },
  }
}

function newVersion({ version, releaseNotes }: Pick<UpdateInfo, 'version' | 'releaseNotes'>): NewVersion {
  const notes =
    typeof releaseNotes === 'string'
      ? releaseNotes
      : (releaseNotes ?? []).map(({ version: of, note }) => `## ${of}\n\n${note ?? ''}`).join('\n\n')
  return { version, notes: withoutTags(notes).slice(0, 50_000) }
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }

/** GitHub gives notes as HTML when a release has none of its own. The window shows Markdown, and tags as text. */
function withoutTags(notes: string): string {
  if (!/^\s*<(p|h\d|ul|ol|div)\b/i.test(notes)) return notes
  return notes
    .replace(/<h(\d)[^>]*>/gi, (_, level: string) => `\n${'#'.repeat(Number(level))} `)
    .replace(/<li[^>]*>/gi, '\n- ')
    .replace(/<\/(p|h\d|ul|ol|div)>/gi, '\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => entities[name] ?? '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

const sentences: Readonly<Record<UpdateProblem, string>> = {
  network: 'The server of the updates does not answer. Check the network and try again.',
  disk: 'There is no room on the disk for the new version. Free some and try again.',
  damaged: 'The download was not whole, so it was thrown away. Try again.',
  refused: 'This system does not let Coppice replace itself. Install the new version yourself.',
  other: 'The update did not come.',
}

/** Throws an error whose words fit a person. */
function refuse(error: unknown): never {
  const problem = problemOf(error)
  const reason = error instanceof Error ? error.message.split('\n', 1)[0]?.slice(0, 300) : String(error)
  throw new UpdaterError(problem, problem === 'other' ? `${sentences.other} ${reason}` : sentences[problem])
}

const codes: Readonly<Record<string, UpdateProblem>> = {
  ENOSPC: 'disk',
  EDQUOT: 'disk',
  EACCES: 'refused',
  EPERM: 'refused',
  EROFS: 'refused',
  ENOTFOUND: 'network',
  EAI_AGAIN: 'network',
  ECONNREFUSED: 'network',
  ECONNRESET: 'network',
  ETIMEDOUT: 'network',
  EPIPE: 'network',
  ERR_CHECKSUM_MISMATCH: 'damaged',
  ERR_UPDATER_INVALID_SIGNATURE: 'damaged',
}

function problemOf(error: unknown): UpdateProblem {
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string }
  const known = codes[code]
  if (known) return known
  if (/ENOSPC|no space left/i.test(message)) return 'disk'
  if (/sha512 checksum mismatch|size mismatch|unexpected end/i.test(message)) return 'damaged'
  return /net::ERR_|HttpError: 5\d\d|socket hang up|timed? ?out|disconnected/i.test(message) ? 'network' : 'other'
}
