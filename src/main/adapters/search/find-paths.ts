import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { rankPaths } from '#core/paths/rank-paths.ts'
import type { SearchScope } from '#core/ports/search.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { findFiles } from './find-files.ts'
import type { SearchIndex } from './index/search-index.ts'
import { createScopeRules, isGitPath } from './scope-rules.ts'
import type { SearchRoot } from './search-folder.ts'
import { trackedDespite, withTracked } from './tracked-scope.ts'

/** How many more files the index is asked for, as some may be hidden or gone. */
const spare = 200

/** The best files for a text: from the names of the index if there is one, else from a list of all files. */
export async function findPaths(
  root: SearchRoot | null,
  index: SearchIndex | undefined,
  text: string,
  limit: number,
  scope: SearchScope,
  signal: AbortSignal,
): Promise<readonly VirtualPath[]> {
  const started = performance.now()
  const known = root && index ? await findKnown(root, index, text, limit, scope, signal) : null
  if (known) return known
  const all = await findFiles(root, [], scope, signal)
  index?.took(performance.now() - started)
  return rankPaths(all, text, limit)
}

/** Null when the index cannot tell, or knows too few files that are still there. */
async function findKnown(
  root: SearchRoot,
  index: SearchIndex,
  text: string,
  limit: number,
  scope: SearchScope,
  signal: AbortSignal,
): Promise<readonly VirtualPath[] | null> {
  const rules = withTracked(createScopeRules(root, scope), root)
  if (scope.path !== '/' || rules.ignoreNothing || rules.overlayDecides) return null
  const asked = limit + spare
  const known = await index.find(text, asked)
  if (!known) return null
  const there = known.paths.filter(
    (path) => !rules.isHidden(path) && !rules.isIgnored(path) && isFile(join(root.folder, path)),
  )
  if (there.length < limit && known.paths.length === asked) return null
  const foreign: VirtualPath[] = []
  for (const path of known.foreign)
    foreign.push(...(await findFiles(root, [], { ...scope, path, overlay: [] }, signal)))
  const tracked = await trackedDespite(root, rules, scope.path, signal)
  const changed = scope.overlay.map(({ path }) => path).filter((path) => !isGitPath(path))
  return rankPaths([...new Set([...there, ...foreign, ...tracked, ...changed])], text, limit)
}

function isFile(location: string): boolean {
  try {
    return lstatSync(location, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    return false
  }
}
