import { promptFileAccess } from '#core/approval/file-policy.ts'
import { BaseTreeError } from '#core/ports/base-tree.ts'
import { FileTreeError } from '#core/ports/file-tree.ts'
import { isGitConfig, withoutCredentials } from '#core/secrets/git-credentials.ts'
import { redact } from '#core/secrets/secrets.ts'
import { createLocate, createOverlayTree, isBinary, type Tree } from '#overlay'
import { parseVirtualPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import type { Project } from '../project/project.ts'

/** Characters of one file, and of all of them. */
const most = { file: 20_000, together: 60_000 } as const

/**
 * What the files say that a command names, as the thread has them, each under its name. Their text is not read for names
 * again. A word that names no file of the project adds nothing. Nobody is asked about what a command names, so a file
 * that asks is only named, and no token goes to a model.
 */
export async function namedFiles({ services }: Project, tree: Tree, named: readonly string[]): Promise<string> {
  const { base, blobs } = services
  const files = createOverlayTree({ base, blobs, tree })
  const locate = createLocate(base, () => tree)
  const { mayShow } = promptFileAccess(services.settings().policy)
  let room: number = most.together
  const parts: string[] = []
  for (const name of named) {
    const path = parseVirtualPath(`/${name.replace(/^\.?\//, '')}`)
    const read = path.ok ? await textAt(path.value) : undefined
    if (read === undefined) continue
    const shown = read === null ? '(It asks before it is read, so it is not shown here.)' : cut(read, room)
    room -= shown.length
    parts.push(`\n\n@${name}:\n${shown}`)
  }
  return parts.join('')

  /** Null for a file that asks. Undefined for what is no text file. */
  async function textAt(path: VirtualPath): Promise<string | null | undefined> {
    try {
      const { path: leadsTo, node } = await locate(path, true)
      if (node?.kind !== 'file') return undefined
      const bytes = await files.read(path, { offset: 0, length: most.file * 4 })
      if (isBinary(bytes)) return undefined
      if (!mayShow(path, bytes) || !mayShow(leadsTo, bytes)) return null
      const text = new TextDecoder().decode(bytes)
      return redact([path, leadsTo].some(isGitConfig) ? withoutCredentials(text) : text)
    } catch (error) {
      if (error instanceof BaseTreeError || error instanceof FileTreeError) return undefined
      throw error
    }
  }
}

function cut(text: string, room: number): string {
  const limit = Math.min(most.file, Math.max(0, room))
  return text.length > limit ? `${beginningOf(text, limit)}\n(cut here; read the file for the rest)` : text.trimEnd()
}
