import { isWithin, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { runRipgrep } from '../ripgrep-process.ts'
import { openSearchPlace, type SearchRoot } from '../search-folder.ts'
import { createPathSum } from './folder-table.ts'

const mostBytes = 1024 * 1024 * 1024

/**
 * The sum of all files that the engine would search with these arguments, without those in some folders and those whose
 * names are not UTF-8. Null when it did not list them all.
 */
export async function listWithEngine(
  root: SearchRoot,
  args: readonly string[],
  without: readonly VirtualPath[],
): Promise<string | null> {
  using place = openSearchPlace(root, rootPath)
  if (!place) return null
  const sum = createPathSum()
  const accept = (record: Buffer) => {
    const name = record.toString()
    if (name.includes('\ufffd')) return
    const path = name.slice(1) as VirtualPath
    if (!without.some((folder) => isWithin(path, folder))) sum.add(record)
  }
  const limits = { bytes: mostBytes }
  const all = [...args, '--files', '--null', '--', place.target]
  const run = await runRipgrep(all, place.cwd, 0, accept, new AbortController().signal, limits)
  return run.exitCode === null || run.truncated ? null : sum.value()
}
