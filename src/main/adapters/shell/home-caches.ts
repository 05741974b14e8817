import { accessSync, constants, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { lookAt, namesIn } from '../system/look-at.ts'
import { credentialPlaces, realOf } from './credential-places.ts'
import { isAbove, maskedCredentials, refusalOf } from './readable-places.ts'

/** What a tool keeps of everything that the user downloaded. */
interface PackageCache {
  /** Where the tool looks for it below a home. No path of a cache lies in another's. */
  readonly path: string
  /** Variables that move it, the strongest first, each with the path below the variable's folder. */
  readonly moved: readonly (readonly [variable: string, below: string])[]
}

/** Folders that hold packages, what tools know about them, and what compilers made. No settings and no credentials are in the list. */
export const packageCaches: readonly PackageCache[] = [
  { path: '.bundle/cache', moved: [['BUNDLE_USER_CACHE', '']] },
  {
    path: '.bun/install/cache',
    moved: [
      ['BUN_INSTALL_CACHE_DIR', ''],
      ['BUN_INSTALL', 'install/cache'],
    ],
  },
  {
    path: '.cache/ccache',
    moved: [
      ['CCACHE_DIR', ''],
      ['XDG_CACHE_HOME', 'ccache'],
    ],
  },
  { path: '.ccache', moved: [] },
  {
    path: '.cache/composer',
    moved: [
      ['COMPOSER_CACHE_DIR', ''],
      ['XDG_CACHE_HOME', 'composer'],
    ],
  },
  {
    path: '.cache/go-build',
    moved: [
      ['GOCACHE', ''],
      ['XDG_CACHE_HOME', 'go-build'],
    ],
  },
  {
    path: '.cache/pip',
    moved: [
      ['PIP_CACHE_DIR', ''],
      ['XDG_CACHE_HOME', 'pip'],
    ],
  },
  { path: '.cache/pnpm', moved: [['XDG_CACHE_HOME', 'pnpm']] },
  {
    path: '.cache/sccache',
    moved: [
      ['SCCACHE_DIR', ''],
      ['XDG_CACHE_HOME', 'sccache'],
    ],
  },
  {
    path: '.cache/uv',
    moved: [
      ['UV_CACHE_DIR', ''],
      ['XDG_CACHE_HOME', 'uv'],
    ],
  },
  {
    path: '.cache/yarn',
    moved: [
      ['YARN_CACHE_FOLDER', ''],
      ['XDG_CACHE_HOME', 'yarn'],
    ],
  },
  { path: '.cargo/registry', moved: [['CARGO_HOME', 'registry']] },
  { path: '.composer/cache', moved: [['COMPOSER_HOME', 'cache']] },
  { path: '.gradle/caches', moved: [['GRADLE_USER_HOME', 'caches']] },
  { path: '.gradle/wrapper', moved: [['GRADLE_USER_HOME', 'wrapper']] },
  {
    path: '.local/share/pnpm/store',
    moved: [
      ['PNPM_HOME', 'store'],
      ['XDG_DATA_HOME', 'pnpm/store'],
    ],
  },
  { path: '.m2/repository', moved: [] },
  { path: '.m2/wrapper', moved: [['MAVEN_USER_HOME', 'wrapper']] },
  {
    path: '.npm/_cacache',
    moved: [
      ['npm_config_cache', '_cacache'],
      ['NPM_CONFIG_CACHE', '_cacache'],
    ],
  },
  { path: '.yarn/berry/cache', moved: [['YARN_GLOBAL_FOLDER', 'cache']] },
  {
    path: 'go/pkg/mod',
    moved: [
      ['GOMODCACHE', ''],
      ['GOPATH', 'pkg/mod'],
    ],
  },
]

export interface CacheInput {
  /** The app's own folders. */
  readonly hidden: readonly string[]
  readonly home: string
  readonly environment: NodeJS.ProcessEnv
  /** The project, whose files a command sees only in its view. Null for none. */
  readonly rootFolder: string | null
}

/**
 * The package caches that the user has now, with their paths below a command's home. One that leads to credentials, or
 * has some in it, is left out, and so is one outside the home, in a project, or with a project in it.
 */
export function findHomeCaches(input: CacheInput): readonly { readonly path: string; readonly from: string }[] {
  const { environment, rootFolder } = input
  const home = realOf(input.home)
  const isRefused = refusalOf({ ...input, hidden: [...input.hidden, ...(rootFolder === null ? [] : [rootFolder])] })
  const credentials = credentialPlaces(input.home, environment)
  return packageCaches.flatMap(({ path, moved }) => {
    const named = moved.map(([variable, below]) => [environment[variable]?.split(':')[0] ?? '', below] as const)
    const [place = '', below = ''] = named.find(([one]) => isAbsolute(one)) ?? [home, path]
    const from = realOf(join(place, below))
    if (!isReadableFolder(from) || isRefused(from) || !isAbove(home, from)) return []
    if (from !== join(home, path) && isInProject(from, home)) return []
    const masked = maskedCredentials({ folders: [from], credentials })
    return masked.files.length + masked.folders.length > 0 ? [] : [{ path, from }]
  })
}

/** Names that no cache has at its top, but a project or a folder of settings may. */
const notOfCaches = /^(\.env(\..*)?|\.npmrc|\.yarnrc(\.yml)?|\.pypirc|\.netrc|\.git)$/

/** True for a folder with settings of a project in it, and for one below a repository that is not the home itself. */
function isInProject(place: string, home: string): boolean {
  if (namesIn(place).some((name) => notOfCaches.test(name))) return true
  for (let above = dirname(place); above !== home && isAbove(home, above); above = dirname(above))
    if (lookAt(join(above, '.git'))) return true
  return false
}

function isReadableFolder(place: string): boolean {
  try {
    accessSync(place, constants.R_OK | constants.X_OK)
    return statSync(place).isDirectory()
  } catch {
    return false
  }
}
