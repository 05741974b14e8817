import { beginningOf } from '#shared/base/whole-characters.ts'
import { isBinary } from '../overlay/binary.ts'
import { wholeChanges } from '../overlay/changes.ts'
import { readNode, type TreeSources } from '../overlay/nodes.ts'
import type { Tree } from '../overlay/tree.ts'
import { lineHunks } from '../patch/line-hunks.ts'
import type { TextMerge } from '../ports/text-merge.ts'

const mostOfFile = 12_000

/**
 * The changes from one tree to another as text for a reader: hunks of texts, and only the names of everything else. At
 * most about `most` characters; what is left out is named.
 */
export async function describeChange(
  sources: TreeSources & { readonly textMerge: TextMerge },
  { from, to, most }: { readonly from: Tree; readonly to: Tree; readonly most: number },
): Promise<string> {
  const parts: string[] = []
  const leftOut: string[] = []
  let length = 0
  for (const { path, before, after, renamedFrom } of await wholeChanges({ base: sources.base, from, to })) {
    if (length >= most) {
      leftOut.push(path)
      continue
    }
    const head = `${before ? (after ? 'changed' : 'deleted') : 'new'} ${path}${renamedFrom ? ` (was ${renamedFrom})` : ''}`
    const [old, fresh] = [before, after].map((node) => (node ? readNode(sources.blobs, node) : new Uint8Array()))
    const isText = old !== undefined && fresh !== undefined && !isBinary(old) && !isBinary(fresh)
    const hunks = isText ? (await lineHunks(old, fresh, sources.textMerge)).join('\n') : '(not text)'
    const part = `=== ${head}\n${hunks.length > mostOfFile ? `${beginningOf(hunks, mostOfFile)}\n… cut` : hunks}`
    parts.push(part)
    length += part.length
  }
  if (leftOut.length > 0) parts.push(`=== not shown: ${leftOut.slice(0, 200).join(', ')}`)
  return parts.join('\n') || '(nothing changed)'
}
