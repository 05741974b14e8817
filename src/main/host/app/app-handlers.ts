import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { AppInfo } from '#shared/contract/views/app.ts'
import type { FolderPage } from '#shared/contract/views/projects.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { examine } from '../doctor/doctor.ts'
import { describeSandbox } from '../doctor/sandbox-help.ts'
import type { HostParts } from './host-parts.ts'
import type { Implementer } from './implementer.ts'

export function appHandlers(os: Implementer, parts: HostParts) {
  const { options, provider, projects, sandbox } = parts
  return {
    info: os.app.info.handler(
      async ({ context }): Promise<AppInfo> => ({
        version: options.version,
        shell: options.frontend === 'desktop' ? 'desktop' : 'web',
        platform: platformName(),
        initialFolder: context.window ? context.window.initialFolder : options.initialFolder,
        homeFolder: homedir(),
        canPickFolder: context.window !== undefined,
        provider: provider.info(),
        sandbox: describeSandbox(sandbox.state),
        dataFolder: options.dataFolder,
        logFile: options.logFile ?? null,
        canInstallCommand: options.installCommand !== undefined,
        recent: projects.recent(),
      }),
    ),
    examine: os.app.examine.handler(async () => examine(parts)),
    pickFolder: os.app.pickFolder.handler(async ({ context }) => {
      if (!context.window)
        throw new WireError('REFUSED', 'There is no folder dialog here. Type the path of the folder.')
      return context.window.pickFolder()
    }),
    folders: os.app.folders.handler(({ input }) => folderPage(input.path ?? homedir())),
    openExternal: os.app.openExternal.handler(async ({ input }) => {
      if (!options.openExternal) throw new WireError('REFUSED', 'Open the link in your browser.')
      await options.openExternal(input.url)
    }),
    openDataFolder: os.app.openDataFolder.handler(async () => {
      if (!options.showFolder) throw new WireError('REFUSED', `Open ${options.dataFolder} yourself.`)
      await options.showFolder(options.dataFolder)
    }),
    installCommand: os.app.installCommand.handler(async () => {
      if (!options.installCommand)
        throw new WireError('REFUSED', 'The command is here already: npm installed it together with Coppice.')
      return options.installCommand().catch((error: Error) => {
        throw new WireError('REFUSED', error.message)
      })
    }),
  }
}

function platformName(): AppInfo['platform'] {
  const { platform } = process
  return platform === 'darwin' || platform === 'win32' || platform === 'linux' ? platform : 'other'
}

async function folderPage(input: string): Promise<FolderPage> {
  const path = resolve(input)
  try {
    const entries = await readdir(path, { withFileTypes: true })
    const folders = entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map((entry) => ({ name: entry.name, path: join(path, entry.name) }))
      .sort((a, b) => a.name.localeCompare(b.name))
    return { path, parent: dirname(path) === path ? null : dirname(path), folders }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOTDIR') throw new WireError('NOT_A_FOLDER', `${path} is a file. Choose the folder that holds it.`)
    if (code === 'ENOENT') throw new WireError('NOT_FOUND', `There is no folder ${path}.`)
    throw new WireError('UNREADABLE', `${path} cannot be read: ${(error as Error).message}`)
  }
}
