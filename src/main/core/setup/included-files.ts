import { createIgnoreRules } from '#overlay'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { type BaseTree, BaseTreeError } from '../ports/base-tree.ts'
import { type Search, SearchError } from '../ports/search.ts'
import type { FileAccess } from '../secrets/file-access.ts'
import { secretContentBytes } from '../secrets/secret-files.ts'

interface IncludedServices {
  readonly base: Pick<BaseTree, 'read'>
  readonly search: Pick<Search, 'files'>
  readonly access: () => Pick<FileAccess, 'mayShow' | 'mayReadByRules'>
}

/** Where a project names files that git leaves out and a working copy needs all the same, as `.gitignore` names files. */
const includeFile = '/.worktreeinclude' as VirtualPath

/** Bytes of that file, patterns of it, files that are looked at, and files that are named. */
const most = { bytes: 64 * 1024, patterns: 100, looked: 200, named: 20 } as const

/**
 * The files of `.worktreeinclude` that commands do not see, because they may hold secrets. Those that a rule of the person
 * protects are not among them. Sorted by path.
 */
export async function findIncludedFiles(
  services: IncludedServices,
  signal: AbortSignal,
): Promise<readonly VirtualPath[]> {
  const text = await textOf(services.base, includeFile, most.bytes)
  const globs = text.split('\n').slice(0, most.patterns).flatMap(globsOf)
  if (globs.length === 0) return []
  const rules = createIgnoreRules((folder) => (folder === '/' ? text : undefined))
  const scope = { path: rootPath, hidden: [], overlay: [], includeIgnored: true }
  const found = await findFiles(services.search, globs, scope, signal)
  const meant = found.filter((path) => rules.isIgnored(path, false) && isPlain(path)).slice(0, most.looked)
  const named: VirtualPath[] = []
  const { mayShow, mayReadByRules } = services.access()
  for (const path of meant) {
    if (named.length === most.named) break
    const bytes = new TextEncoder().encode(await textOf(services.base, path, secretContentBytes))
    if (mayReadByRules(path) && !mayShow(path, bytes)) named.push(path)
  }
  return named
}

/** A rule takes stars and brackets as a pattern. */
function isPlain(path: string): boolean {
  return !/[*?[\]{}()\\]/.test(path)
}

/** What a line may mean at most. The rules of git say what it does mean. */
function globsOf(line: string): readonly string[] {
  const pattern = line.trim().replace(/^\//, '').replace(/\/$/, '')
  if (pattern === '' || /^[#!]/.test(pattern)) return []
  const start = line.trim().slice(0, -1).includes('/') ? pattern : `**/${pattern}`
  return [start, `${start}/**`]
}

async function findFiles(
  search: IncludedServices['search'],
  ...given: Parameters<Search['files']>
): Promise<readonly VirtualPath[]> {
  try {
    return await search.files(...given)
  } catch (error) {
    if (error instanceof SearchError) return []
    throw error
  }
}

/** Empty for a file that is missing or cannot be read. */
async function textOf(base: Pick<BaseTree, 'read'>, path: VirtualPath, length: number): Promise<string> {
  try {
    return new TextDecoder().decode(await base.read(path, { offset: 0, length }))
  } catch (error) {
    if (error instanceof BaseTreeError) return ''
    throw error
  }
}
