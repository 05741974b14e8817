import { patchesOf, patchingTypes } from '#core/branches/branch-trees.ts'
import { readBranch, readFamily } from '#core/journal/read-thread.ts'
import { changedFile, emptyTree, listChanges } from '#overlay'
import type { FileDiff, LineSource } from '#shared/contract/views/files.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { CheckResult, CheckState } from '#shared/model/check.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { BranchId, Sequence, ThreadId } from '#shared/model/ids.ts'
import { fileDiff } from '../../branches/compare-branches.ts'
import { blameFile, historyOf } from '../../changes/blame-file.ts'
import type { Project } from '../../project/project.ts'

/** A changed file of a thread, with its change and who wrote each line of it as it is now. */
export interface ReviewedFile {
  readonly change: FileChange
  /** Null for what has no lines, and beyond the first files. */
  readonly diff: FileDiff | null
  /** By line from 0. Null for a line of the folder. Empty where nothing is known. */
  readonly authors: readonly (LineSource | null)[]
}

export interface ReviewedCheck {
  readonly name: string
  readonly required: boolean
  readonly state: CheckState
  /** The newest result; null for none. */
  readonly result: CheckResult | null
}

/** A branch in time. */
export interface ReviewedLane {
  readonly branchId: BranchId
  readonly name: string
  /** The branch that it was forked from. Null for the workspace. */
  readonly parentId: BranchId | null
  /** What happened to it, the oldest first, in milliseconds since the Unix epoch. */
  readonly events: readonly { readonly at: number; readonly kind: 'forked' | 'changed' | 'merged' | 'rewound' }[]
}

/** What a person reviews of a thread besides its conversation. */
export interface ReviewFacts {
  readonly files: readonly ReviewedFile[]
  readonly checks: readonly ReviewedCheck[]
  readonly lanes: readonly ReviewedLane[]
}

/** Files whose lines are shown. */
const mostFiles = 200

export async function reviewFacts(project: Project, threadId: ThreadId): Promise<ReviewFacts> {
  const { services } = project
  const { log, base, blobs, textMerge } = services
  const [root] = readFamily(log, threadId)
  if (!root) return { files: [], checks: [], lanes: [] }
  const { branchId } = root
  const head = log.trees.heads.get(branchId) ?? emptyTree
  const changes = await listChanges({ base, blobs, textMerge, from: emptyTree, to: head })
  const history = historyOf(log, branchId)
  const files: ReviewedFile[] = []
  for (const [at, change] of changes.entries()) {
    const isShown = at < mostFiles && !change.binary && change.large === undefined
    const leaf = isShown ? await changedFile(services, emptyTree, head, change.path) : undefined
    const diff = leaf ? await fileDiff(project, change.path, leaf) : null
    files.push({ change, diff, authors: isShown ? await authorsOf(project, branchId, change, history) : [] })
  }
  return { files, checks: await checksOf(project, branchId), lanes: lanesOf(project, threadId) }
}

async function authorsOf(
  project: Project,
  branchId: BranchId,
  { path, kind, size }: FileChange,
  history: readonly Entry[],
): Promise<ReviewedFile['authors']> {
  if (kind === 'delete' || size > mostBlamed) return []
  const head = project.services.log.trees.heads.get(branchId) ?? emptyTree
  const { lines, sources } = await blameFile(project, head, { branchId, path }, history).catch(() => nothing)
  return lines.map(({ source }) => (source === null ? null : (sources[source] ?? null)))
}

/** Bytes of a file whose lines are told apart. */
const mostBlamed = 512 * 1024
/** Of a link, and of a text that is none after all. */
const nothing = { lines: [], sources: [] } as const

async function checksOf({ checks }: Project, branchId: BranchId): Promise<readonly ReviewedCheck[]> {
  const [known] = await checks.runs.ofBranches([branchId])
  return (known?.checks ?? []).map(({ name, required, state, last }) => ({
    ...{ name, required, state, result: last ? checks.runs.result(last.sequence) : null },
  }))
}

function lanesOf({ services: { log } }: Project, threadId: ThreadId): readonly ReviewedLane[] {
  const family = readFamily(log, threadId)
  const root = log.rootOf(threadId)
  const entries = root === undefined ? [] : log.entriesAfter(-1 as Sequence, ['branch.forked', ...patchingTypes], root)
  return family.map(({ branchId, agent, parent }) => {
    const branch = readBranch(log, branchId)
    const events = entries.flatMap((entry) => {
      const kind = kindFor(entry, branchId)
      return kind === null ? [] : [{ at: entry.at, kind }]
    })
    return {
      branchId,
      name: parent ? (branch?.name ?? agent) : 'workspace',
      parentId: branch?.parentId ?? null,
      events,
    }
  })
}

function kindFor(entry: Entry, branchId: BranchId): ReviewedLane['events'][number]['kind'] | null {
  if (entry.type === 'branch.forked') return entry.branchId === branchId ? 'forked' : null
  if (entry.type === 'branch.merged' && entry.branchId === branchId) return 'merged'
  if (!patchesOf(entry).some((one) => one.branchId === branchId && one.patch.length > 0)) return null
  return entry.type === 'rewound' ? 'rewound' : 'changed'
}
