import { isUtf8 } from 'node:buffer'
import { lstatSync, opendirSync } from 'node:fs'
import type { BaseListing, BaseNode } from '#core/ports/base-tree.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { createPace } from '../pace.ts'
import { nodeAt } from './node-at.ts'
import { codeOf } from './open-verified.ts'

/** Everything in an open folder but what is hidden. Works in slices, so that a million entries do not hold up the process. */
export async function listFolder(
  directory: string,
  isHidden: (name: string) => boolean,
  signal?: AbortSignal,
): Promise<BaseListing> {
  const entries: { name: string; node: BaseNode }[] = []
  let unreadable = 0
  const pace = createPace()
  using folder = opendirSync(directory, { bufferSize: 256, encoding: 'buffer' as BufferEncoding })
  for (let entry = folder.readSync(); entry; entry = folder.readSync()) {
    const name = decodeName(entry.name)
    if (name !== undefined && isHidden(name)) continue
    const node = name === undefined ? 'unreadable' : lookAt(`${directory}/${name}`)
    if (name === undefined || node === 'unreadable') unreadable += 1
    else if (node !== 'gone') entries.push({ name, node })
    const turn = pace()
    if (!turn) continue
    await turn
    signal?.throwIfAborted()
  }
  return { entries: entries.sort((a, b) => byCodeUnit(a.name, b.name)), unreadable }
}

/** The folder is read with names as bytes, which the types of Node do not know: a name that is not UTF-8 is not ours. */
function decodeName(name: unknown): string | undefined {
  if (!Buffer.isBuffer(name)) return String(name)
  return isUtf8(name) ? name.toString() : undefined
}

function lookAt(location: string): BaseNode | 'gone' | 'unreadable' {
  try {
    return nodeAt(location, lstatSync(location))
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'gone' : 'unreadable'
  }
}
