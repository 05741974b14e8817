import { join } from 'node:path'

/** How a person installs a package, and what they start then. */
export interface Installation {
  /** Programs and their arguments, in order. */
  readonly steps: readonly (readonly string[])[]
  readonly executable: string
}

export interface InstallInput {
  readonly platform: NodeJS.Platform
  readonly arch: string
  /** The folder of the packages, and the names in it. */
  readonly folder: string
  readonly names: readonly string[]
  /** A folder for an app that needs no installer. */
  readonly applications: string
  /** Where Windows keeps the programs of one person. */
  readonly localPrograms: string
}

/** Throws when the package for this machine is not there, and names what is. */
export function planInstallation({
  platform,
  arch,
  folder,
  names,
  applications,
  localPrograms,
}: InstallInput): Installation {
  const find = (ending: RegExp) => {
    const name = names.find((one) => ending.test(one))
    if (name === undefined)
      throw new Error(`No package for ${platform} ${arch} in ${folder}. There is: ${names.join(', ') || 'nothing'}.`)
    return join(folder, name)
  }
  switch (platform) {
    case 'linux':
      return {
        steps: [['sudo', 'apt-get', 'install', '-y', find(arch === 'arm64' ? /arm64\.deb$/ : /(amd64|x64)\.deb$/)]],
        executable: '/opt/Coppice/coppice',
      }
    case 'darwin': {
      const archive = find(arch === 'arm64' ? /-arm64\.zip$/ : /-x64\.zip$/)
      return {
        steps: [['ditto', '-x', '-k', archive, applications]],
        executable: join(applications, 'Coppice.app/Contents/MacOS/Coppice'),
      }
    }
    case 'win32':
      return {
        steps: [[find(arch === 'arm64' ? /-arm64\.exe$/ : /-x64\.exe$/), '/S']],
        executable: join(localPrograms, 'Coppice', 'Coppice.exe'),
      }
    default:
      throw new Error(`There is no package for ${platform}.`)
  }
}
