import { exactText } from '#overlay'
import type { CommittedFile, FileVersion } from '../ports/git-delivery.ts'
import type { TextMerge } from '../ports/text-merge.ts'

/** Equal for the same file, and only then. Null stands for no file. */
export function identityOf(file: CommittedFile | null): string {
  return file === null ? '' : `${file.mode} ${file.id}`
}

/** Three versions of a file, as in a merge. Null for no file. */
export interface FileSides {
  readonly base: FileVersion | null
  readonly ours: FileVersion | null
  readonly theirs: FileVersion | null
}

/**
 * Joins what two sides made of a file, as git merges files: by lines, and the mode by itself. Undefined where they cannot be joined:
 * both changed the same lines, or a side has no text, another kind or no file.
 */
export async function joinFiles(
  textMerge: TextMerge,
  { base, ours, theirs }: FileSides,
  idOf: (bytes: Uint8Array) => string,
): Promise<FileVersion | null | undefined> {
  if (identityOf(base) === identityOf(theirs) || identityOf(ours) === identityOf(theirs)) return ours
  if (identityOf(base) === identityOf(ours)) return theirs
  if (base === null || ours === null || theirs === null) return undefined
  if (new Set([base, ours, theirs].map(({ mode }) => mode.slice(0, 3))).size > 1) return undefined
  const mode = ours.mode === base.mode ? theirs.mode : ours.mode
  if (ours.id === base.id || ours.id === theirs.id) return { ...theirs, mode }
  if (theirs.id === base.id) return { ...ours, mode }
  const [below, own, other] = [base, ours, theirs].map(({ bytes }) => bytes && exactText(bytes))
  if (!mode.startsWith('100') || below === undefined || own === undefined || other === undefined) return undefined
  const merged = await textMerge.merge(below, own, other)
  if (merged === null) return undefined
  const bytes = new TextEncoder().encode(merged.text)
  return { mode, id: idOf(bytes), bytes }
}
