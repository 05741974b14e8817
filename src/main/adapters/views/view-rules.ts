import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { createIgnoreRules } from '#core/ports/ignore-rules.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** What a command may change without it becoming a change of the branch: `.git` and what `.gitignore` names. */
export interface ViewRules {
  isLeftOut(path: VirtualPath, isDirectory: boolean): boolean
}

const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Reads the ignore files as the command left them, and above the project those of the repository around it. */
export function createViewRules(viewFiles: string, rootFolder: string | null): ViewRules {
  const real = rootFolder === null ? null : realpathSync.native(rootFolder)
  const repository = real === null ? null : repositoryOf(real)
  const inside = real && repository ? relative(repository, real).split(sep).join('/') : ''
  const prefix = inside === '' ? '' : `/${inside}`
  const rules = createIgnoreRules((folder) => {
    const below = `${folder === '/' ? '' : folder}/`
    if (below.startsWith(`${prefix}/`)) return readRules(join(viewFiles, below.slice(prefix.length)))
    return repository === null ? undefined : readRules(join(repository, folder))
  })
  return {
    isLeftOut: (path, isDirectory) => /\/\.git(\/|$)/i.test(path) || rules.isIgnored(prefix + path, isDirectory),
  }
}

function repositoryOf(folder: string): string | null {
  if (existsSync(join(folder, '.git'))) return folder
  return dirname(folder) === folder ? null : repositoryOf(dirname(folder))
}

function readRules(folder: string): string | undefined {
  try {
    const descriptor = openSync(join(folder, '.gitignore'), flags)
    try {
      return fstatSync(descriptor).isFile() ? readFileSync(descriptor, 'utf8') : undefined
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}
