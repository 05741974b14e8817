import { describe, expect, it } from 'vitest'
import { createMemoryBaseTree, type MergePlan } from '#overlay'
import { testHashing } from '#overlay/testkit'
import { success } from '#shared/base/result.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import { parentOf, threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import type { BlobHash, BranchId, ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createDriftWatch } from '../../agent/drift/drift-watch.ts'
import { createGreenQueue } from '../../checks/green-queue.ts'
import { findUnfinishedApplies, finishApply } from '../../commands/apply.ts'
import { changeBranch } from '../../commands/changes.ts'
import { endQueuedMerges, queueMerges, recordCheck } from '../../commands/checks.ts'
import { type CommandProject, executeCommand } from '../../commands/command.ts'
import { createMemoryJournal } from '../../ports/journal.testkit.ts'
import { openProjectLog } from '../project-log.ts'

const threadId = 'thread' as ThreadId
const branchId = 'branch' as BranchId
const path = '/a.txt' as VirtualPath
const node = { kind: 'file', blob: '1'.repeat(64) as BlobHash, size: 1, executable: false } as const

/** A log whose only thread has one changed file, and is not loaded. */
function openIdle(...later: readonly EntryDraft[]) {
  const log = openProjectLog(
    createMemoryJournal(() => 1_000),
    () => {},
    { loadedWhole: 0 },
  )
  log.commit([
    { threadId, ...threadCreated(branchId) },
    { type: 'branch.forked', threadId, branchId, parentId: null, ownerThreadId: threadId, handle: null, name: 'W' },
    { type: 'tree.changed', threadId, branchId, patch: [[path, [null, { node, pin: null }]]], callId: null },
    ...later,
  ])
  log.release(Number.POSITIVE_INFINITY)
  expect(log.state.threads.size).toBe(0)
  return { log, project: { log } as Partial<CommandProject> as CommandProject }
}

describe('a thread that was let go of', () => {
  it('is loaded to finish an apply that a crash cut off', () => {
    const { project } = openIdle({
      ...{ type: 'apply.started', threadId, branchId, paths: [path], steps: [[path, null, node]] },
    })
    const [started] = findUnfinishedApplies(project.log)
    if (!started) throw new Error('There is no apply.')
    expect(finishApply(project, started)).toMatchObject({ ok: true, value: { entries: [{ type: 'apply.finished' }] } })
  })

  it('is loaded to keep what a terminal changed', () => {
    expect(changeBranch(openIdle().project, branchId, [])).toMatchObject({ ok: true })
  })

  it('is loaded to store what a long check said', () => {
    const result = {
      ...{ check: 'test', key: 'k', tree: 't', outcome: 'green', exitCode: 0, durationMs: 1, note: '' },
      ...{ output: '' },
    } as unknown as Parameters<typeof recordCheck>[1]['result']
    expect(recordCheck(openIdle().project, { branchId, on: 'branch', result })).toMatchObject({ ok: true })
  })

  it('is merged when green, however long the checks ran', async () => {
    const [child, own] = ['child' as ThreadId, 'own' as BranchId]
    const { log } = openIdle(
      { ...threadCreated(own, { parent: parentOf(threadId, 's0'), depth: 1 }), threadId: child },
      {
        ...{ type: 'branch.forked', threadId: child, branchId: own, parentId: branchId, ownerThreadId: child },
        ...{ handle: null, name: 'Own' },
      },
      { type: 'run.started', threadId: child },
      { type: 'run.ended', threadId: child, status: 'done', reason: 'completed', message: '' },
    )
    let runs = 0
    await using queue = createGreenQueue({
      ...{ log, clock: { now: () => 1_000 }, announce: () => {} },
      queue: (ids) => void executeCommand(log, queueMerges({ log }, ids)),
      end: (ends) => void executeCommand(log, endQueuedMerges(ends)),
      store: (id) => executeCommand(log, endQueuedMerges([{ branchId: id, end: { kind: 'merged' } }])).sequence,
      checks: {
        definitions: () => [{ name: 'c', run: 'c', paths: [], timeoutSeconds: 1, on: ['merge'], required: true }],
        result: () => null,
        async run() {
          runs += 1
          if (runs === 1) log.release(Number.POSITIVE_INFINITY)
          return success([])
        },
      },
      planMerge: async () =>
        ({
          ...{ patch: [[path, [null, { node, pin: null }]]], bases: [] },
          result: { written: [], deleted: [], merged: [], conflicts: [] },
        }) as unknown as MergePlan,
      report(_, error) {
        throw error
      },
    })
    queue.add([own])
    await expect.poll(() => queue.view()).toMatchObject({ branches: [{ state: { kind: 'merged' } }], isRunning: false })
  })

  it('is loaded to compare its files with the disk', async () => {
    const { log } = openIdle()
    const base = createMemoryBaseTree({ [path]: 'of somebody else' })
    using drift = createDriftWatch({
      ...{ log, base, hashing: testHashing, routes: [], watcher: null, announce: () => {}, onProblem: () => {} },
    })
    expect(await drift.follow(branchId)).toMatchObject([{ path }])
    log.release(Number.POSITIVE_INFINITY)
    expect(await drift.follow(branchId)).toMatchObject([{ path }])
  })
})
