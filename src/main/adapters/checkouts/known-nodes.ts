import { appendFileSync } from 'node:fs'
import type { CheckoutNode } from '#core/ports/stores/checkout-folder.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import { ancestorsOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import { textIfReadable } from '../system/read-bounded.ts'

/** What a folder and its branch have in common at a path, and how the file was when that was seen. */
export interface Known {
  readonly node: CheckoutNode
  /** Empty for a file that has to be read again to tell. */
  readonly stamp: string
}

/** What is known of a folder, by path. It is kept in a file, so that the folder can be compared after a restart. */
export interface KnownNodes {
  readonly all: ReadonlyMap<VirtualPath, Known>
  /** Null forgets the path. */
  set(path: VirtualPath, known: Known | null): void
  /** Whether something is known below the folder. */
  holds(folder: VirtualPath): boolean
  save(): void
}

/** A letter says what it is: `f`ile, e`x`ecutable, `l`ink, or `-` for nothing any more. Then its hash or its target. */
type Row = readonly [path: string, stamp: string, kind: string, content: string]

/** Bytes of the file. A million paths take less. */
const most = 512 * 1024 * 1024

/**
 * The file is a list of lines, of which the last one about a path counts. Without it, or with a damaged one, less is known:
 * then both sides count as changed where they differ.
 */
export function openKnownNodes(file: string): KnownNodes {
  const all = new Map<VirtualPath, Known>()
  /** How many known paths each folder holds. */
  const folders = new Map<VirtualPath, number>()
  let unsaved: Row[] = []
  const count = (path: VirtualPath, by: number) => {
    for (const folder of ancestorsOf(path)) folders.set(folder, (folders.get(folder) ?? 0) + by)
  }
  const keep = (path: VirtualPath, known: Known | null) => {
    if (all.has(path) !== (known !== null)) count(path, known ? 1 : -1)
    if (known) all.set(path, known)
    else all.delete(path)
  }
  for (const row of readRows(file)) keep(row[0] as VirtualPath, knownOf(row))
  return {
    all,
    set(path, known) {
      keep(path, known)
      unsaved.push(rowOf(path, known))
    },
    holds: (folder) => (folders.get(folder) ?? 0) > 0,
    save() {
      const lines = unsaved.map((row) => `${JSON.stringify(row)}\n`).join('')
      if (lines !== '') appendFileSync(file, lines, { mode: 0o600 })
      unsaved = []
    },
  }
}

function rowOf(path: VirtualPath, known: Known | null): Row {
  if (known === null) return [path, '', '-', '']
  const { node, stamp } = known
  if (node.kind === 'symlink') return [path, stamp, 'l', node.target]
  return [path, stamp, node.executable ? 'x' : 'f', node.blob]
}

function knownOf([, stamp, kind, content]: Row): Known | null {
  if (kind === '-') return null
  if (kind === 'l') return { node: { kind: 'symlink', target: content }, stamp }
  return { node: { kind: 'file', blob: content as BlobHash, executable: kind === 'x' }, stamp }
}

function readRows(file: string): readonly Row[] {
  const lines = (textIfReadable(file, { most }) ?? '').split('\n')
  return lines.flatMap((line) => {
    const row = parsed(line)
    return isRow(row) ? [row] : []
  })
}

/** The last line may have been cut off. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function isRow(row: unknown): row is Row {
  return Array.isArray(row) && row.length === 4 && row.every((cell) => typeof cell === 'string')
}
