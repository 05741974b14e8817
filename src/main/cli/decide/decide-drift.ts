import type { ApplyTarget } from '#shared/contract/views/branches.ts'
import { isWithin, parseVirtualPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { shellWord } from '#shared/text/control-characters.ts'
import { type CommandLine, placeFlags, UsageError } from '../arguments.ts'
import { type Line, lineOf } from '../screen/spans.ts'

/** A file of an apply, and what the flags decide for it. Null when nothing has to be decided, or nothing was. */
export interface Decided extends ApplyTarget {
  readonly keep: 'both' | 'ours' | 'theirs' | null
}

/**
 * What `--join`, `--ours` and `--theirs` decide for files that changed on disk too. Throws `UsageError` for a path that
 * is not one of them, or that both sides got.
 */
export function decideDrift(
  line: CommandLine,
  files: readonly ApplyTarget[],
  gone: readonly GoneFolder[] = [],
): readonly Decided[] {
  const isGone = ({ path }: ApplyTarget) => gone.some(({ root }) => isWithin(path, root))
  const drifted = files.filter((file) => file.state !== 'ready' && !isGone(file))
  const named = {
    ours: driftedAt(line, 'ours', drifted),
    theirs: driftedAt(line, 'theirs', drifted),
  }
  return files.map((file) => {
    const [ours, theirs] = [named.ours.has(file.path), named.theirs.has(file.path)]
    if (ours && theirs) throw new UsageError(`${file.path} is named by --ours and by --theirs. Choose one.`)
    if (ours || theirs) return { ...file, keep: ours ? 'ours' : 'theirs' }
    return { ...file, keep: line.flag('join') && file.joins ? 'both' : null }
  })
}

/** The files that one flag names. A folder names all of them that are in it. */
function driftedAt(
  line: CommandLine,
  flag: 'ours' | 'theirs',
  drifted: readonly ApplyTarget[],
): ReadonlySet<VirtualPath> {
  const found = new Set<VirtualPath>()
  for (const word of line.texts(flag)) {
    const parsed = parseVirtualPath(word.startsWith('/') ? word : `/${word}`)
    if (!parsed.ok) throw new UsageError(`--${flag}: ${word}: ${parsed.error.message}`)
    const inside = drifted.filter(({ path }) => isWithin(path, parsed.value))
    if (inside.length === 0)
      throw new UsageError(
        `--${flag}: nothing at ${parsed.value} changed both in the thread and on disk. "coppice apply THREAD --dry-run" lists what did.`,
      )
    for (const { path } of inside) found.add(path)
  }
  return found
}

/** What was done with each decided file. */
export function decidedLines(files: readonly Decided[]): readonly Line[] {
  return files.map(({ path, keep }) => {
    switch (keep) {
      case 'both':
        return lineOf(`Joined ${path} with the folder’s version.`, 'good')
      case 'ours':
        return lineOf(`Took the thread’s version of ${path}.`, 'good')
      default:
        return lineOf(`Left ${path} as it is in the folder.`, 'good')
    }
  })
}

/** A folder of the project that is not on disk: about its files nothing can be decided before it is back. */
export interface GoneFolder {
  readonly root: VirtualPath
  readonly path: string | null
}

/** The commands that a person may type next, when files are left to decide. */
export function nextDecisions(
  line: CommandLine,
  threadId: string,
  files: readonly Decided[],
  gone: readonly GoneFolder[],
): readonly Line[] {
  const open = files.filter(({ state, keep }) => state !== 'ready' && keep === null)
  const back = gone.filter(({ root }) => open.some(({ path }) => isWithin(path, root)))
  if (back.length > 0)
    return back.map(({ path }) => lineOf(`Nothing was written. Put the folder ${path} back, then apply again.`, 'warn'))
  return offers(line, threadId, open)
}

function offers(line: CommandLine, threadId: string, left: readonly Decided[]): readonly Line[] {
  const command = `  coppice apply ${threadId.slice(0, 8)}${placeFlags(line)}`
  const offer = (flags: string, about: string): Line => [
    { text: `${command} ${flags}`, tone: 'accent' },
    { text: `  ${about}`, tone: 'dim' },
  ]
  const first = left.find(({ joins }) => !joins) ?? left[0]
  // Where a folder lies on disk now, no file is written.
  const writable = [first, ...left].find((one) => one?.state === 'changed')
  return [
    lineOf('Nothing was written. Decide about these files, then it is applied:', 'warn'),
    ...(left.some(({ joins }) => joins) ? [offer('--join', 'join what does not overlap')] : []),
    ...(writable ? [offer(`--ours ${shellWord(writable.path)}`, 'the thread’s version')] : []),
    ...(first ? [offer(`--theirs ${shellWord(first.path)}`, 'the folder’s version')] : []),
  ]
}
