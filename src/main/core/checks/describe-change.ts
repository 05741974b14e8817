import { isBinary, type Leaf, lineHunks, readNode, type Tree, type TreeSources, wholeChanges } from '#overlay'
import { isLarge, octal, type TreeNode } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { printableJson } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import type { TextMerge } from '../ports/text-merge.ts'

const mostOfFile = 12_000
const mostNamed = 200

/** A change as text for a model that judges it. */
export interface DescribedChange {
  /**
   * Each file has a head, `=== ` and JSON on one line, and its hunks. Lines of hunks begin with a space or a sign, so no name
   * and no content reads as a head.
   */
  readonly text: string
  /** The files that are not there whole. */
  readonly unseen: readonly VirtualPath[]
}

/**
 * The changes from one tree to another: hunks of texts, and only the heads of everything else. At most about `most`
 * characters.
 */
export async function describeChange(
  sources: TreeSources & { readonly textMerge: TextMerge },
  { from, to, most }: { readonly from: Tree; readonly to: Tree; readonly most: number },
): Promise<DescribedChange> {
  const parts: string[] = []
  const [unseen, hidden]: [VirtualPath[], VirtualPath[]] = [[], []]
  let length = 0
  for (const { path, before, after, renamedFrom } of await wholeChanges({ base: sources.base, from, to })) {
    if (length >= most) {
      hidden.push(path)
      continue
    }
    const head = {
      ...{ file: path, change: before ? (after ? 'changed' : 'deleted') : 'new' },
      ...(renamedFrom && { was: renamedFrom }),
      ...{ before: formOf(before), after: formOf(after) },
    }
    const hunks = isLarge(before) || isLarge(after) ? undefined : await hunksOf(sources, before, after)
    const isWhole = hunks !== undefined && hunks.length <= mostOfFile
    if (!isWhole) unseen.push(path)
    const shown = isWhole ? hunks : hunks === undefined ? '(too large)' : `${beginningOf(hunks, mostOfFile)}\n… cut`
    const part = `=== ${printableJson(head)}\n${shown}`
    parts.push(part)
    length += part.length
  }
  if (hidden.length > 0)
    parts.push(`=== ${printableJson({ notShown: hidden.length, files: hidden.slice(0, mostNamed) })}`)
  return { text: parts.join('\n') || '(nothing changed)', unseen: [...unseen, ...hidden] }
}

async function hunksOf(
  { blobs, textMerge }: Pick<TreeSources, 'blobs'> & { readonly textMerge: TextMerge },
  ...nodes: readonly [Leaf | null, Leaf | null]
): Promise<string> {
  const [old, fresh] = [readNode(blobs, nodes[0]), readNode(blobs, nodes[1])]
  return isBinary(old) || isBinary(fresh) ? '(not text)' : (await lineHunks(old, fresh, textMerge)).join('\n')
}

/** What a file is, as git names modes. Null for nothing. */
function formOf(node: TreeNode | null): string | null {
  if (node?.kind === 'file')
    return `file 100${octal(node.mode ?? (node.executable ? 0o755 : 0o644))}, ${node.size} bytes`
  return node?.kind === 'symlink' ? 'link 120000' : null
}
