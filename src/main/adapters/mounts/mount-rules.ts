import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { createIgnoreRules } from '#core/paths/ignore-rules.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { readRegular } from './mount-base.ts'

/** Paths that a command may change without changing the branch: `.git` and everything that `.gitignore` names. */
export interface MountRules {
  isLeftOut(path: VirtualPath, isDirectory: boolean): boolean
}

/**
 * `readRules` returns the text of a folder's `.gitignore` in the mount. Above the project, the rules of the surrounding
 * repository apply.
 */
export function createMountRules(
  rootFolder: string | null,
  readRules: (folder: VirtualPath) => string | undefined,
): MountRules {
  const real = rootFolder === null ? null : realpathSync.native(rootFolder)
  const repository = real === null ? null : repositoryOf(real)
  const inside = real && repository ? relative(repository, real).split(sep).join('/') : ''
  const prefix = inside === '' ? '' : `/${inside}`
  const rules = createIgnoreRules((folder) => {
    const below = `${folder === '/' ? '' : folder}/`
    if (below.startsWith(`${prefix}/`)) return readRules((below.slice(prefix.length, -1) || '/') as VirtualPath)
    return repository === null ? undefined : rulesIn(join(repository, folder))
  })
  return {
    isLeftOut: (path, isDirectory) => /\/\.git(\/|$)/i.test(path) || rules.isIgnored(prefix + path, isDirectory),
  }
}

function repositoryOf(folder: string): string | null {
  if (existsSync(join(folder, '.git'))) return folder
  return dirname(folder) === folder ? null : repositoryOf(dirname(folder))
}

/** The text of a real folder's `.gitignore`. Undefined when that is not a regular file. */
export function rulesIn(folder: string): string | undefined {
  return rulesAt(join(folder, '.gitignore'))
}

/** The text of a `.gitignore`. Undefined when it is not a regular file. */
export function rulesAt(file: string): string | undefined {
  try {
    return Buffer.from(readRegular(file)).toString()
  } catch {
    return undefined
  }
}
