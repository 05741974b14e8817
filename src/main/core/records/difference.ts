import { plural } from '#shared/text/plural.ts'
import type { ChangedPath } from './record-format.ts'

/**
 * `tree`: other files. `asks`: an agent asked for what is not recorded. `stops`: an agent ended before its record does.
 * `end`: a run ended in another way. `waits`: a call waits for a decision that is not recorded. `act`: a person did what
 * a replay cannot do.
 */
export const differenceKinds = ['tree', 'asks', 'stops', 'end', 'waits', 'act'] as const

/** The first thing in which a replay is not what was recorded. */
export interface Difference {
  readonly kind: (typeof differenceKinds)[number]
  /** Such as `main/subagent_0`. */
  readonly agent: string
  /** Number of replies that the agent had given. */
  readonly step: number
  /** A sentence for a person. */
  readonly message: string
  /** The tree, or the end, that was recorded. */
  readonly expected?: string
  readonly found?: string
  /** The files that differ, as far as they are known. */
  readonly files?: readonly string[]
}

const mostNamed = 5

/** Names the paths of one step that became something else than recorded. */
export function differingPaths(
  expected: readonly ChangedPath[],
  found: readonly ChangedPath[],
): { readonly files: readonly string[]; readonly inFolder: readonly string[] } {
  const recorded = new Map(expected.map((one) => [one[0], one]))
  const made = new Map(found.map((one) => [one[0], one]))
  const paths = [...new Set([...recorded.keys(), ...made.keys()])].sort()
  const isOther = (path: string, at: 1 | 2) => (recorded.get(path)?.[at] ?? null) !== (made.get(path)?.[at] ?? null)
  const both = (path: string) => recorded.has(path) && made.has(path)
  return {
    files: paths.filter((path) => !both(path) || isOther(path, 1) || isOther(path, 2)),
    inFolder: paths.filter((path) => both(path) && isOther(path, 2)),
  }
}

/** Another tree than the recorded one. */
export function treeDifference(
  { agent, step }: { readonly agent: string; readonly step: number },
  expected: { readonly step: number; readonly tree: string; readonly changed: readonly ChangedPath[] },
  found: { readonly tree: string; readonly changed: readonly ChangedPath[] },
): Difference {
  const { files, inFolder } = differingPaths(expected.changed, found.changed)
  const differ = files.length === 0 ? '' : ` What differs: ${listed(files)}.`
  const folder =
    inFolder.length === 0
      ? ''
      : ` In the folder, ${listed(inFolder)} ${inFolder.length === 1 ? 'is' : 'are'} not as when it was recorded.`
  const late = expected.step === step ? '' : ` The record has this tree at step ${expected.step}.`
  return {
    ...{ kind: 'tree', agent, step, expected: expected.tree, found: found.tree, files },
    message: `Step ${step} of ${agent} made another tree than recorded (${short(found.tree)} instead of ${short(expected.tree)}).${differ}${folder}${late}`,
  }
}

/** The beginning of a hash, which tells trees apart for a person. */
function short(hash: string): string {
  return hash === '' ? 'no changes' : hash.slice(0, 12)
}

function listed(paths: readonly string[]): string {
  const named = paths.slice(0, mostNamed).join(', ')
  const left = paths.length - mostNamed
  return left > 0 ? `${named} and ${plural(left, 'more file', 'more files')}` : named
}
