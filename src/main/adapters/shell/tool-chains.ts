import { delimiter, isAbsolute, join } from 'node:path'
import { lookAt } from '../system/look-at.ts'
import { isProgram } from '../system/system-programs.ts'
import { realOf } from './credential-places.ts'

/** What the user's tool chains need to work for a command, whose home is another. */
export interface ToolChains {
  /** Folders to read, some of which may not exist. */
  readonly folders: readonly string[]
  /** The same for each variable that names one. */
  readonly variables: Readonly<Record<string, string>>
  /** Variables of folders that tools write to, which the user has. Their values are paths below a command's home. */
  readonly written: Readonly<Record<string, string>>
  /** True if Maven is installed, or has been used. */
  readonly usesMaven: boolean
}

/** What a tool only reads: its variable, and its folder below the home without the variable. Null for none. */
const read: readonly (readonly [string, string | null])[] = [
  ['ANDROID_HOME', null],
  ['ANDROID_SDK_ROOT', null],
  ['ASDF_DATA_DIR', '.asdf'],
  ['ASDF_DIR', '.asdf'],
  ['DOTNET_ROOT', '.dotnet'],
  ['FNM_DIR', '.local/share/fnm'],
  ['GOENV_ROOT', '.goenv'],
  ['GOROOT', null],
  ['GRADLE_HOME', null],
  ['JAVA_HOME', null],
  ['M2_HOME', null],
  ['MAVEN_HOME', null],
  ['MISE_DATA_DIR', '.local/share/mise'],
  ['NODENV_ROOT', '.nodenv'],
  ['NVM_DIR', '.nvm'],
  ['PYENV_ROOT', '.pyenv'],
  ['RBENV_ROOT', '.rbenv'],
  ['RUSTUP_HOME', '.rustup'],
  ['SDKMAN_DIR', '.sdkman'],
  ['VOLTA_HOME', '.volta'],
]
/** What a tool also writes to, so that a command gets one of its own: variables, and paths below the command's home. */
const writtenFolders: Readonly<Record<string, string>> = {
  CARGO_HOME: '.cargo',
  GOPATH: 'go',
  GRADLE_USER_HOME: '.gradle',
  PNPM_HOME: '.local/share/pnpm',
}
/** Where programs on PATH keep the rest of themselves. Folders with passwords are not in the list. */
const besideThem = [
  ...['.bun/bin', '.cargo/bin', '.deno/bin', '.fnm', '.ghcup', '.local/bin', '.local/pipx', '.local/share/pipx'],
  ...['.local/share/pnpm', '.local/share/pypoetry', '.local/share/uv', '.rvm', 'go/bin', 'go/pkg/mod'],
]
const beyondHomes = ['/home/linuxbrew/.linuxbrew']

/** What a link leads to must be readable too. */
export function findToolChains(home: string, environment: NodeJS.ProcessEnv): ToolChains {
  const named = (variable: string) => {
    const [place = ''] = (environment[variable] ?? '').split(':')
    return isAbsolute(place) ? place : undefined
  }
  const variables = read.flatMap(([variable, usual]) => {
    const place = named(variable) ?? (usual === null ? undefined : join(home, usual))
    return place === undefined ? [] : [[variable, place] as const]
  })
  const programs = Object.keys(writtenFolders).flatMap((variable) => {
    const place = named(variable)
    return place === undefined ? [] : [join(place, variable === 'PNPM_HOME' ? '' : 'bin')]
  })
  const folders = [...variables.map(([, place]) => place), ...besideThem.map((name) => join(home, name)), ...programs]
  return {
    folders: [...new Set([...folders, ...beyondHomes].flatMap((place) => [place, realOf(place)]))],
    variables: Object.fromEntries(variables),
    usesMaven: lookAt(join(home, '.m2')) !== undefined || isOnPath('mvn', environment),
    written: Object.fromEntries(
      Object.entries(writtenFolders).filter(([variable, usual]) => named(variable) ?? lookAt(join(home, usual))),
    ),
  }
}

function isOnPath(name: string, { PATH = '' }: NodeJS.ProcessEnv): boolean {
  return PATH.split(delimiter).some((folder) => isAbsolute(folder) && isProgram(join(folder, name)))
}
