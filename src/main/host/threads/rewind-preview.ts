import type { HostServices } from '#core/agent/types/services.ts'
import { unwrap } from '#core/commands/command.ts'
import type { Checkpoint } from '#core/commands/rewind.ts'
import { findCheckpoint } from '#core/commands/rewind.ts'
import { readFamily, readThread } from '#core/journal/read-thread.ts'
import { pastBranches } from '#core/journal/rewind.ts'
import { changedFile, listChanges } from '#overlay'
import { valuesOf } from '#shared/base/chain.ts'
import type { RewindPreview } from '#shared/contract/views/branches.ts'
import type { FileDiff } from '#shared/contract/views/files.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { Entry } from '#shared/model/entry.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import type { Memory, MemoryVersion } from '#shared/model/memory.ts'
import type { Message } from '#shared/model/message.ts'
import { everInFamily } from '#shared/model/project-state.ts'
import { versionAt } from '#shared/model/snapshots.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { fileDiff } from '../branches/compare-branches.ts'
import type { Project } from '../project/project.ts'

export async function previewRewind({ services }: Project, { threadId, to }: Checkpoint): Promise<RewindPreview> {
  const { log, userMemories } = services
  const { messages, thread: past, at } = unwrap(findCheckpoint(services.log, { threadId, to }))
  const family = readFamily(log, threadId)
  const ids = new Set(family.map(({ id }) => id))
  // Versions of the store have no place in this journal, so only their time tells.
  const forAll = rememberedSince(userMemories.current().values(), { sequence: 0, at }, ids)
  const waiting = new Set(past?.interrupts.map(({ id }) => id))
  return {
    branches: await changedBranches(services, { threadId, to }),
    messages: messageCounts(family.find(({ id }) => id === threadId)?.messages ?? [], valuesOf(messages)),
    approvals: family.flatMap(({ interrupts }) => interrupts).filter(({ id }) => !waiting.has(id)).length,
    ...comings(services, { threadId, to }),
    memories: [
      ...rememberedSince(log.state.memories.values(), { sequence: to, at }, ids),
      ...forAll.map((one) => ({ ...one, user: true }) as const),
    ],
    applied: appliedIn(
      log.entriesAfter(to, ['apply.finished', 'apply.undone']),
      new Set(family.map(({ branchId }) => branchId)),
    ),
    running: family.some(({ status }) => status === 'working'),
  }
}

export async function rewindDiff(
  project: Project,
  { threadId, to, branchId, path }: Checkpoint & { readonly branchId: BranchId; readonly path: VirtualPath },
): Promise<FileDiff> {
  const { services } = project
  unwrap(findCheckpoint(services.log, { threadId, to }))
  const branch = pastBranches(services.log, threadId, to).find((one) => one.branch.id === branchId)
  if (!branch) throw new WireError('NOT_FOUND', 'This branch does not change with the rewind.')
  const diff = await fileDiff(project, path, await changedFile(services, branch.now, branch.past, path))
  return { ...diff, fingerprint: null }
}

/** Memories that the family changed after the checkpoint, and that still differ from before. A rewind leaves them. */
function rememberedSince(
  memories: Iterable<Memory>,
  checkpoint: Pick<MemoryVersion, 'sequence' | 'at'>,
  family: ReadonlySet<ThreadId>,
): RewindPreview['memories'] {
  return [...memories].flatMap(({ name, versions }) => {
    const all = valuesOf(versions)
    const since = all.filter(({ sequence, at }) => sequence > checkpoint.sequence && at >= checkpoint.at)
    const before = all.at(-since.length - 1)
    const to = before && before.length !== null ? before.sequence : null
    const { sequence: latest, restores, length } = versions.value
    const isBack = length === null ? to === null : restores !== null && restores === to
    if (isBack || !since.some(({ threadId }) => family.has(threadId))) return []
    const isTheirs = since.every(({ threadId }) => family.has(threadId))
    return [{ name, undo: isTheirs ? { to, latest } : null }]
  })
}

function messageCounts(now: readonly Message[], past: readonly Message[]): RewindPreview['messages'] {
  const parting = now.findIndex((message, index) => past[index]?.messageId !== message.messageId)
  const common = parting < 0 ? now.length : parting
  return { leaving: now.length - common, returning: past.length - common }
}

async function changedBranches(
  services: HostServices,
  { threadId, to }: Checkpoint,
): Promise<RewindPreview['branches']> {
  const listed = pastBranches(services.log, threadId, to).map(async ({ branch, now, past }) => ({
    branchId: branch.id,
    agent: branch.parentId === null ? null : branch.name,
    changes: now === past ? [] : await listChanges({ ...services, from: now, to: past }),
  }))
  return (await Promise.all(listed)).filter(({ changes }) => changes.length > 0)
}

/** The subagents that a rewind would remove, and those that it would bring back. */
function comings({ log }: HostServices, { threadId, to }: Checkpoint): Pick<RewindPreview, 'leaving' | 'returning'> {
  const leaving: string[] = []
  const returning: string[] = []
  for (const id of everInFamily(log.state, threadId)) {
    const now = readThread(log, id)
    const then = thenOf(log.state, id, to)
    if (now && !then) leaving.push(now.agent)
    if (!now && then) returning.push(then.agent)
  }
  return { leaving, returning }
}

function thenOf(state: HostServices['log']['state'], id: ThreadId, to: number) {
  return versionAt(state.past.threads.get(id), to)?.thread ?? null
}

function appliedIn(since: readonly Entry[], branches: ReadonlySet<BranchId>): readonly VirtualPath[] {
  const undone = new Set(since.flatMap((entry) => (entry.type === 'apply.undone' ? [entry.of] : [])))
  const paths = since.flatMap((entry) =>
    entry.type === 'apply.finished' && branches.has(entry.branchId) && !undone.has(entry.sequence) ? entry.paths : [],
  )
  return [...new Set(paths)].sort() as VirtualPath[]
}
