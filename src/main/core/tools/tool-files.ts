import type { BlobHash } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { WritableTree } from '../ports/file-tree.ts'
import type { GrepOutcome, GrepQuery } from '../ports/search.ts'

/** The composite of backends the file tools work on: overlay, memories and scratch behind one set of paths. */
export interface ToolFiles extends WritableTree {
  /** Where a path to search leads when its links are followed; the search itself follows none. */
  leadsTo(path: VirtualPath): Promise<VirtualPath>
  grep(query: GrepQuery, path: VirtualPath, signal: AbortSignal): Promise<GrepOutcome>
  /** Files below `path` that match `pattern`, sorted; `includeIgnored` also lists what `.gitignore` names. */
  glob(
    pattern: string,
    path: VirtualPath,
    includeIgnored: boolean,
    signal: AbortSignal,
  ): Promise<readonly VirtualPath[]>
  hash(bytes: Uint8Array): BlobHash
}
