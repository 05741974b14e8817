import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { expect, it } from 'vitest'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import { readThread } from '#core/journal/read-thread.ts'
import type { BranchId, Handle } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'

const path = '/long.txt' as VirtualPath
const context = { context: {} }
const lines = (first: string, last: string) =>
  [first, ...Array.from({ length: 20 }, (_, index) => `${index}`), last, ''].join('\n')

it('hunks are merged, dropped and reverted as shown, each as one entry that can be undone', async () => {
  await using host = await openTestHost(mkdtempSync(join(tmpdir(), 'coppice-hunks-')))
  const { branches, changes, files } = host.router
  const project = await host.projects.openScratch()
  const { log, blobs } = project.services
  const threadId = project.runtime.createThread({ title: 't', model: 'demo', approvalMode: 'auto-edit' })
  const workspace = readThread(log, threadId)?.branchId ?? ('' as BranchId)
  const child = 'child' as BranchId
  const write = (branchId: BranchId, before: string | null, after: string) => {
    const entryOf = (text: string | null) => (text === null ? null : { node: nodeOf(text), pin: null })
    const step = [entryOf(before), entryOf(after)] as const
    return { type: 'tree.changed', threadId, branchId, callId: null, patch: [[path, step]] } as const
  }
  const nodeOf = (text: string) => {
    const bytes = new TextEncoder().encode(text)
    return { kind: 'file', blob: blobs.put(bytes), size: bytes.length, executable: false } as const
  }
  const forked = { type: 'branch.forked', threadId, branchId: child, parentId: workspace } as const
  appendTo(log, [
    write(workspace, null, lines('first', 'last')),
    { ...forked, ownerThreadId: threadId, handle: child as string as Handle, name: 'child' },
    write(child, lines('first', 'last'), lines('FIRST', 'LAST')),
  ])
  const { projectId, of } = { projectId: project.info().id, of: { projectId: project.info().id, path } }
  const read = async (branchId: BranchId) => {
    const content = await call(files.read, { projectId, branchId, path }, context)
    return content.kind === 'text' ? content.text : content.kind
  }

  const seen = await call(branches.diff, { ...of, branchId: child }, context)
  expect(seen.hunks).toHaveLength(2)
  const choice = { ...of, branchId: child, fingerprint: seen.fingerprint ?? '' }
  const merged = await call(branches.mergeHunks, { ...choice, hunks: [0] }, context)
  expect(await read(workspace)).toBe(lines('FIRST', 'last'))
  const stale = call(branches.mergeHunks, { ...choice, hunks: [1] }, context)
  await expect(stale).rejects.toMatchObject({ code: 'CONFLICT' })

  const left = await call(branches.diff, { ...of, branchId: child }, context)
  expect(left.hunks).toHaveLength(1)
  const absent = call(branches.mergeHunks, { ...choice, fingerprint: left.fingerprint ?? '', hunks: [7] }, context)
  await expect(absent).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  const dropped = await call(
    branches.discardHunks,
    { ...choice, fingerprint: left.fingerprint ?? '', hunks: [0] },
    context,
  )
  expect(await read(child)).toBe(lines('FIRST', 'last'))
  expect((await call(branches.diff, { ...of, branchId: child }, context)).fingerprint).toBeNull()

  await call(branches.undo, { projectId, sequence: dropped.sequence }, context)
  expect(await read(child)).toBe(lines('FIRST', 'LAST'))
  await call(branches.undo, { projectId, sequence: merged.sequence ?? 0 }, context)
  expect(await read(workspace)).toBe(lines('first', 'last'))

  const made = await call(changes.diff, { ...of, branchId: workspace }, context)
  const reverted = await call(
    changes.revertHunks,
    { ...of, branchId: workspace, hunks: [0], fingerprint: made.fingerprint ?? '' },
    context,
  )
  expect(await read(workspace)).toBe('absent')
  await call(branches.undo, { projectId, sequence: reverted.sequence }, context)
  expect(await read(workspace)).toBe(lines('first', 'last'))
})
