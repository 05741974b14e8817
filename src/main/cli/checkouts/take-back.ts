import { WireError } from '#shared/contract/wire-errors.ts'
import type { TakenBack } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { parseVirtualPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { shellWord, shownName } from '#shared/text/control-characters.ts'
import { plural } from '#shared/text/plural.ts'
import type { VerbAnswer } from '../answer-verb.ts'
import { type CommandLine, UsageError } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { type Line, lineOf } from '../screen/spans.ts'
import type { ThreadPlace } from '../thread-verb.ts'

/** What `--ours` and `--theirs` decide about files that the branch and a folder changed. */
export function choicesOf(line: CommandLine): { readonly path: VirtualPath; readonly side: 'branch' | 'folder' }[] {
  return (['ours', 'theirs'] as const).flatMap((flag) =>
    line.texts(flag).map((word) => {
      const parsed = parseVirtualPath(word.startsWith('/') ? word : `/${word}`)
      if (!parsed.ok) throw new UsageError(`--${flag}: ${word}: ${parsed.error.message}`)
      return { path: parsed.value, side: flag === 'ours' ? ('branch' as const) : ('folder' as const) }
    }),
  )
}

/** Says what to type when something would be lost with a folder. */
export async function closing(close: () => Promise<TakenBack>, again: string): Promise<TakenBack> {
  try {
    return await close()
  } catch (error) {
    if (!(error instanceof WireError) || error.code !== 'CONFLICT') throw error
    const next = `Decide with "${again} --ours PATH" (the branch’s version) or "--theirs PATH" (the folder’s), or lose it with "--force".`
    throw new WireError('CONFLICT', `${error.message} ${next}`)
  }
}

/** The folder of which something was taken back, or which was removed. */
export interface Taken {
  readonly branchId: BranchId
  readonly folder: string
  readonly taken: TakenBack
  readonly removed: boolean
  /** The command to type again, with decisions. */
  readonly again: string
}

export function takenAnswer({ thread }: ThreadPlace, done: Taken): VerbAnswer {
  const { branchId, folder, taken, removed, again } = done
  const { changed, joined, conflicts, refused } = taken
  return {
    value: { threadId: thread.id, branchId, folder, changed, joined, conflicts, refused, removed },
    lines: [
      ...(conflicts.length > 0 ? conflictLines(conflicts, again) : []),
      ...changed.map(
        (path): Line => [{ text: '  taken    ', tone: 'good' }, { text: shownName(path) }, ...joinedMark(joined, path)],
      ),
      ...refused.map(
        ({ path, why }): Line => [
          { text: '  left     ', tone: 'warn' },
          { text: shownName(path) },
          { text: `  ${why}`, tone: 'dim' },
        ],
      ),
      ...(conflicts.length > 0 ? [] : [lineOf(saidOf(done), 'good')]),
    ],
    ...(conflicts.length > 0 && { code: exitCodes.interrupted }),
  }
}

function joinedMark(joined: readonly VirtualPath[], path: VirtualPath): Line {
  return joined.includes(path) ? [{ text: '  joined with what the branch got', tone: 'dim' }] : []
}

function saidOf({ taken: { changed }, folder, removed }: Taken): string {
  const taken = changed.length > 0 ? [`Took back ${plural(changed.length, 'file', 'files')}.`] : []
  if (removed) return [...taken, `Removed ${folder}.`].join(' ')
  return taken[0] ?? 'Nothing was changed there since then.'
}

function conflictLines(conflicts: readonly VirtualPath[], again: string): readonly Line[] {
  const path = shellWord(conflicts[0] ?? '')
  return [
    ...conflicts.map((one): Line => [{ text: '  conflict ', tone: 'bad' }, { text: shownName(one) }]),
    lineOf('Nothing was taken back. Decide about the files in conflict, then try again:', 'warn'),
    [
      { text: `  ${again} --ours ${path}`, tone: 'accent' },
      { text: '  the branch’s version', tone: 'dim' },
    ],
    [
      { text: `  ${again} --theirs ${path}`, tone: 'accent' },
      { text: '  the folder’s version', tone: 'dim' },
    ],
  ]
}
