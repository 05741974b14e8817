import { ancestorsOf, joinPath, nameOf, parentOf, rootPath, type VirtualPath } from '../model/virtual-path.ts'
import type { BaseTree } from '../ports/base-tree.ts'
import type { FileTree } from '../ports/file-tree.ts'
import { type Walked, walk } from '../tree/walk.ts'
import { createGitRules, type GitRules, noGit } from './git-rules.ts'

/** Longer ignore files are not read to their end. */
const maxIgnoreBytes = 1_000_000

/** What git leaves out, by the ignore files of a tree in these folders and those above them. */
export async function readGitRules(
  base: Pick<BaseTree, 'ignores'>,
  files: FileTree,
  folders: readonly VirtualPath[],
): Promise<GitRules> {
  const texts = new Map<string, string>()
  for (const folder of new Set([rootPath, ...folders.flatMap((one) => [one, ...ancestorsOf(one)])])) {
    const path = joinPath(folder, '.gitignore')
    if ((await files.stat(path))?.kind !== 'file') continue
    texts.set(folder, new TextDecoder().decode(await files.read(path, { offset: 0, length: maxIgnoreBytes })))
  }
  return createGitRules((of) => texts.get(of), (await base.ignores?.()) ?? noGit)
}

/**
 * What goes with a folder of the project, of everything in it: ignored files are nobody's change, so they stay on disk. All of
 * it goes if the folder itself is ignored, or holds ignored files alone, because then they are what was meant.
 */
export async function withoutIgnored(
  base: Pick<BaseTree, 'ignores'>,
  files: FileTree,
  folder: VirtualPath,
  entries: readonly Walked[],
): Promise<readonly Walked[]> {
  const ruled = entries.flatMap(({ path }) => (nameOf(path) === '.gitignore' ? [parentOf(path)] : []))
  const rules = await readGitRules(base, files, [folder, ...ruled])
  if (rules.isLeftOut(folder, true)) return entries
  const kept = entries.filter(({ path, node }) => !rules.isLeftOut(path, node.kind === 'directory'))
  return kept.some(({ node }) => node.kind !== 'directory') ? kept : entries
}

/**
 * What the base has in a folder that a branch removed as a whole, without listing it. Ignored files and what was changed after
 * `removedAt` stay, with the folders that hold them. Times are in milliseconds since the Unix epoch; absent for unknown.
 */
export async function goneWith(
  base: BaseTree,
  folder: VirtualPath,
  removedAt: number | undefined,
): Promise<{ readonly gone: readonly Walked[]; readonly isWhole: boolean }> {
  const { entries } = await walk(base, folder)
  const known = new Set(await withoutIgnored(base, base, folder, entries))
  const isLater = ({ node }: Walked) =>
    node.kind !== 'directory' && removedAt !== undefined && node.modified > removedAt
  const stays = entries.filter((entry) => !known.has(entry) || isLater(entry))
  const holding = new Set(stays.flatMap(({ path }) => [path, ...ancestorsOf(path)]))
  return { gone: entries.filter(({ path }) => !holding.has(path)), isWhole: stays.length === 0 }
}
