import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { createIgnoreRules } from '#core/paths/ignore-rules.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { readRegular } from './mount-base.ts'

/** What a command may change without it becoming a change of the branch: `.git` and what `.gitignore` names. */
export interface MountRules {
  isLeftOut(path: VirtualPath, isDirectory: boolean): boolean
}

/** `readRules` gives the text of a folder's `.gitignore` in the mount. Above the project those of the repository around it hold. */
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

/** The rules a real folder states; none when it has no regular file of that name. */
export function rulesIn(folder: string): string | undefined {
  try {
    return Buffer.from(readRegular(join(folder, '.gitignore'))).toString()
  } catch {
    return undefined
  }
}
