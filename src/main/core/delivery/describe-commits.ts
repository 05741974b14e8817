import { isBinary, lineHunks } from '#overlay'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { printableJson } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import type { FileVersion, PlannedCommit } from '../ports/git-delivery.ts'
import type { TextMerge } from '../ports/text-merge.ts'
import { isSecret } from '../secrets/judge-secret.ts'
import { redact } from '../secrets/secrets.ts'

/** The commits of one repository. */
export interface CommitsToDescribe {
  /** Its folder, relative to the project: empty for the one around the project. */
  readonly repository: string
  readonly commits: readonly PlannedCommit[]
  /** What these paths are before the first commit. */
  readonly base: ReadonlyMap<string, FileVersion>
}

/** Characters of all hunks together, and of one file. Files with a line of their own in each commit. */
const mostOfHunks = 40_000
const mostOfFile = 4_000
const mostNamed = 100
const none = new Uint8Array()

/**
 * Commits as text for a model that names them: those of the same place in several repositories are one. A line of JSON says the
 * files with the lines that were added and removed, and hunks follow as far as there is room. Of a file that may hold secrets only
 * its name is there, and what looks like one elsewhere is replaced. No content reads as such a line, because each line of a hunk
 * begins with a space or a sign.
 */
export async function describeCommits(all: readonly CommitsToDescribe[], textMerge: TextMerge): Promise<string> {
  const count = Math.max(0, ...all.map(({ commits }) => commits.length))
  const before = all.map(({ base }) => new Map<string, FileVersion | null>(base))
  const parts: string[] = []
  let room = mostOfHunks
  for (let at = 0; at < count; at += 1) {
    const files: object[] = []
    const hunks: string[] = []
    let unnamed = 0
    for (const [index, { repository, commits }] of all.entries()) {
      for (const [path, after] of commits[at]?.files ?? []) {
        const earlier = before[index]?.get(path) ?? null
        before[index]?.set(path, after)
        if (files.length >= mostNamed) {
          unnamed += 1
          continue
        }
        const file = repository === '' ? path : `${repository}/${path}`
        const { lines, facts } = await compare(file, { before: earlier, after }, textMerge)
        files.push({ file, change: earlier === null ? 'new' : after === null ? 'deleted' : 'changed', ...facts })
        const text = beginningOf(lines, Math.min(mostOfFile, room))
        room -= text.length
        if (text !== '') hunks.push(`=== ${printableJson({ file })}\n${text}${text === lines ? '' : '\n… cut'}`)
      }
    }
    const planned = all.find(({ commits }) => commits.length === count)?.commits[at]?.message.trim() ?? ''
    const head = { commit: at + 1, planned, files, ...(unnamed > 0 && { filesNotShown: unnamed }) }
    parts.push([`### ${printableJson(head)}`, ...hunks].join('\n'))
  }
  return parts.join('\n\n')
}

interface Compared {
  /** Hunks without secrets; empty for none. */
  readonly lines: string
  readonly facts: object
}

async function compare(
  file: string,
  { before, after }: { readonly before: FileVersion | null; readonly after: FileVersion | null },
  textMerge: TextMerge,
): Promise<Compared> {
  const [old, fresh] = [before === null ? none : before.bytes, after === null ? none : after.bytes]
  if (!old || !fresh) return { lines: '', facts: { content: 'not shown' } }
  const path = `/${file}` as VirtualPath
  if ([old, fresh].some((bytes) => isSecret(path, bytes)))
    return { lines: '', facts: { content: 'not shown: it may hold secrets' } }
  if (isBinary(old) || isBinary(fresh)) return { lines: '', facts: { content: 'not text' } }
  const hunks = await lineHunks(old, fresh, textMerge)
  const lines = hunks.flatMap((hunk) => hunk.split('\n'))
  const begin = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  return { lines: redact(hunks.join('\n')), facts: { added: begin('+'), removed: begin('-') } }
}
