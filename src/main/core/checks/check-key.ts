import { compileGlob, entriesWithin, type Tree, treeHash } from '#overlay'
import type { CheckDefinition } from '#shared/model/check.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { rootPath } from '#shared/model/virtual-path.ts'
import type { Hashing } from '../ports/hashing.ts'

/** Everything that decides what a check says. */
export interface Circumstances {
  readonly tree: Tree
  /** The layers that the branch's own commands left, the oldest first. */
  readonly own: readonly LayerId[]
  /** The layers of the project's setup. */
  readonly setup: Iterable<LayerId>
  /** Hosts that the project's commands may reach. */
  readonly hosts: readonly string[]
  /** The state of the folder below. */
  readonly folder: string
}

/** Names a check's command and its circumstances. Equal keys mean that another run would say nothing new. */
export function checkKey(
  { run, timeoutSeconds }: Pick<CheckDefinition, 'run' | 'timeoutSeconds'>,
  { tree, own, setup, hosts, folder }: Circumstances,
  hashing: Hashing,
): string {
  // 2: results before it may be green by what agents left.
  const parts = [2, run, timeoutSeconds, treeHash(tree, hashing), own, [...setup], [...hosts].sort(), folder]
  return hashing.hash(new TextEncoder().encode(JSON.stringify(parts)))
}

/** True when the tree changed a file that the check is about. A pattern that cannot be read fits every file. */
export function concernsTree({ paths }: Pick<CheckDefinition, 'paths'>, tree: Tree): boolean {
  if (paths.length === 0) return true
  const globs = paths.map((path) => compileGlob(path.replace(/^\.?\/+/, ''), globSyntax))
  for (const [path] of entriesWithin(tree, rootPath))
    if (globs.some((glob) => glob === null || glob.matches(path.slice(1)))) return true
  return false
}

const globSyntax = { braces: true, groups: false, folderItself: true }
