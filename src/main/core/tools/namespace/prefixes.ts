import type { BlobHash } from '#shared/model/ids.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { BaseTree, ByteRange } from '../../ports/base-tree.ts'
import type { PlaceRequest } from '../../ports/branch-mounts.ts'
import type { WritableTree } from '../../ports/file-tree.ts'
import type { GrepOutcome, GrepQuery } from '../../ports/search.ts'
import type { WrittenText } from './write-text.ts'

/** Places beside the project's files, by their usual names. */
const prefixNames = [
  '/memories/',
  '/large_tool_results/',
  '/conversation_history/',
  '/batch_results/',
  '/inputs/',
] as const
/** The same as texts. */
export const usualPrefixes: readonly string[] = prefixNames
export type PrefixName = (typeof prefixNames)[number]

/** The prefix in use for each place, with a slash at both ends. */
export type Prefixes = Readonly<Record<PrefixName, string>>

/**
 * Chooses a prefix for each place. A name that the project already uses gets a number, so that no real path is hidden.
 */
export async function choosePrefixes(base: BaseTree): Promise<Prefixes> {
  const taken = new Set((await base.list(rootPath))?.entries.map(({ name }) => name.toLowerCase()))
  const chosen = prefixNames.map((name): [PrefixName, string] => {
    const bare = name.slice(1, -1)
    let candidate = bare
    for (let suffix = 1; taken.has(candidate); suffix += 1) candidate = `${bare}-${suffix}`
    return [name, `/${candidate}/`]
  })
  return Object.fromEntries(chosen) as Prefixes
}

/** The combined files that the file tools work on: overlay, memories and scratch files in one set of paths. */
export interface ToolFiles extends WritableTree {
  /** The path after following its links. A search follows none itself. */
  leadsTo(path: VirtualPath): Promise<VirtualPath>
  /**
   * Reads a file of the project that the branch did not change and that no link leads to, with one look at the disk.
   * Undefined for everything else; `stat` and `read` say what it is.
   */
  readPlain(path: VirtualPath, range?: ByteRange): Promise<Uint8Array | undefined>
  /** Searches below one file or folder. Throws `SearchError`, and the abort reason. */
  grep(query: GrepQuery, path: VirtualPath, signal: AbortSignal): Promise<GrepOutcome>
  /** Files below `path` that match `pattern`, sorted. `includeIgnored` also lists what `.gitignore` excludes. */
  glob(
    pattern: string,
    path: VirtualPath,
    includeIgnored: boolean,
    signal: AbortSignal,
    /** Called when rules of a `.gitignore` were left out. */
    onCutRules?: () => void,
  ): Promise<readonly VirtualPath[]>
  /** The places beside the project's files as they are stored, for programs that need real files. */
  places(): readonly PlaceRequest[]
  /** Writes a whole text in the form of the file that is there. Throws as `write`, and `refused` if it does not fit. */
  writeText(path: VirtualPath, text: string): Promise<WrittenText>
  /** The hash used in the read ledger. */
  hash(bytes: Uint8Array): BlobHash
}
