import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import type { SetupDefinition } from '#shared/model/setup.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { type BaseTree, BaseTreeError } from '../ports/base-tree.ts'
import type { BranchMounts } from '../ports/branch-mounts.ts'
import type { Hashing } from '../ports/hashing.ts'
import type { Search } from '../ports/search.ts'

interface KeyServices {
  readonly base: Pick<BaseTree, 'readUnlinked' | 'stat'>
  readonly search: Pick<Search, 'files'>
  readonly hashing: Pick<Hashing, 'hash'>
  readonly mounts: Pick<BranchMounts, 'findStrategy'>
}

/**
 * Names everything that decides what a setup leaves: the command, its hosts, the content of its inputs on the disk, and
 * the kind of views, since layers of one kind cannot be shown in the other.
 */
export async function setupKey(
  { command, inputs, hosts }: SetupDefinition,
  services: KeyServices,
  signal: AbortSignal,
): Promise<string> {
  const { kind } = await services.mounts.findStrategy()
  const paths = await inputPaths(inputs, services.search, signal)
  const contents: (readonly [string, string])[] = []
  for (const path of paths) contents.push([path, await contentOf(path, services)])
  const parts = [1, command, hosts.toSorted(byCodeUnit), kind === 'overlay', contents]
  return services.hashing.hash(new TextEncoder().encode(JSON.stringify(parts)))
}

/** A name without a pattern counts even when no such file exists, so that the file's arrival is a change. */
async function inputPaths(
  inputs: readonly string[],
  search: KeyServices['search'],
  signal: AbortSignal,
): Promise<readonly VirtualPath[]> {
  const globs = inputs.filter(isPattern)
  const named = inputs.filter((input) => !isPattern(input)).map((input) => `/${input.replace(/^\.?\/+/, '')}`)
  const scope = { path: rootPath, hidden: [], overlay: [], includeIgnored: false }
  const found = globs.length === 0 ? [] : await search.files(globs, scope, signal)
  return [...new Set([...(named as VirtualPath[]), ...found])].sort(byCodeUnit)
}

function isPattern(input: string): boolean {
  return /[*?[\]{}]/.test(input)
}

/** A file that is too large to be read at once counts by its size and time, because this is asked before each command. */
async function contentOf(path: VirtualPath, { base, hashing }: Pick<KeyServices, 'base' | 'hashing'>): Promise<string> {
  try {
    const file = await base.readUnlinked(path)
    return file ? hashing.hash(file.bytes) : 'absent'
  } catch (error) {
    if (!(error instanceof BaseTreeError)) throw error
    if (error.code !== 'too_large') return 'unreadable'
    const node = await base.stat(path)
    return node?.kind === 'file' ? `${node.size} bytes of ${node.modified}` : 'absent'
  }
}
