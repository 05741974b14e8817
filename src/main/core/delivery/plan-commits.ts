import type { FileVersion, PlannedCommit } from '../ports/git-delivery.ts'
import { identityOf } from './join-files.ts'
import type { FilePlan } from './plan-files.ts'

/** What a branch would get after one part of the work. */
export interface PartPlan extends Pick<FilePlan, 'delivered' | 'committed'> {
  readonly message: string
}

/**
 * Makes commits of the parts of a work, one above the other; the last part has everything. A part whose files are those of the
 * part before makes none. `gone` are paths that no commit gets, because the last part leaves them out.
 */
export function planCommits(parts: readonly PartPlan[], gone: ReadonlySet<string>): readonly PlannedCommit[] {
  const base = new Map(parts.flatMap(({ committed }) => [...committed]))
  const commits: PlannedCommit[] = []
  let before = new Map<string, FileVersion | null>()
  /** A path that a part does not change is as the branch has it. */
  const fileIn = (files: ReadonlyMap<string, FileVersion | null>, path: string): FileVersion | null => {
    const file = files.get(path)
    return file === undefined ? (base.get(path) ?? null) : file
  }
  for (const { message, delivered } of parts) {
    const now = new Map<string, FileVersion | null>()
    const files = new Map<string, FileVersion | null>()
    for (const path of new Set([...before.keys(), ...delivered.keys()])) {
      if (gone.has(path)) continue
      const file = fileIn(delivered, path)
      now.set(path, file)
      if (identityOf(file) !== identityOf(fileIn(before, path))) files.set(path, file)
    }
    before = now
    if (files.size > 0) commits.push({ message, files })
  }
  return commits
}

/** The commits with other messages, in order. An empty message, and one that is missing, leaves the planned one. */
export function withMessages(commits: readonly PlannedCommit[], messages: readonly string[]): readonly PlannedCommit[] {
  return commits.map((commit, at) => {
    const message = messages[at]?.trim() ?? ''
    return message === '' ? commit : { ...commit, message: `${message}\n` }
  })
}
