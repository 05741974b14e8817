import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { expect, it } from 'vitest'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import { readThread } from '#core/journal/read-thread.ts'
import type { BranchId, Handle, ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from '../project/project.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'

const path = '/both.txt' as VirtualPath

/** A branch below `parentId` that created `/both.txt` with its own text. */
function forkWith({ services }: Project, threadId: ThreadId, parentId: BranchId, name: string): BranchId {
  const bytes = new TextEncoder().encode(name)
  const branchId = name as BranchId
  const node = { kind: 'file', blob: services.blobs.put(bytes), size: bytes.length, executable: false } as const
  appendTo(services.log, [
    {
      type: 'branch.forked',
      threadId,
      branchId,
      parentId,
      ownerThreadId: threadId,
      handle: name as Handle,
      name,
    },
    { type: 'tree.changed', threadId, branchId, callId: null, patch: [[path, [null, { node, pin: null }]]] },
  ])
  return branchId
}

it('of two merges at the same moment one is stored, the other is refused or a conflict, and nothing is lost', async () => {
  await using host = await openTestHost(mkdtempSync(join(tmpdir(), 'coppice-merge-')))
  const project = await host.projects.openScratch()
  const { log } = project.services
  const threadId = project.runtime.createThread({ title: 't', model: 'demo', approvalMode: 'auto-edit' })
  const workspace = readThread(log, threadId)?.branchId
  if (!workspace) throw new Error('no workspace')
  const branchIds = ['left', 'right'].map((name) => forkWith(project, threadId, workspace, name))
  const input = { projectId: project.info().id, paths: null }
  const settled = await Promise.allSettled(
    branchIds.map((branchId) => call(host.router.branches.merge, { ...input, branchId }, { context: {} })),
  )
  const written = settled.filter((one) => one.status === 'fulfilled' && one.value.result.written.length > 0)
  expect(written).toHaveLength(1)
  expect(log.entries().filter(({ type }) => type === 'branch.merged')).toHaveLength(1)
})

it('gives the exact patch of a branch since its fork, with long lines and odd names', async () => {
  await using host = await openTestHost(mkdtempSync(join(tmpdir(), 'coppice-patch-')))
  const project = await host.projects.openScratch()
  const { services, runtime } = project
  const threadId = runtime.createThread({ title: 't', model: 'demo', approvalMode: 'auto-edit' })
  const workspace = readThread(services.log, threadId)?.branchId
  if (!workspace) throw new Error('no workspace')
  const [text, odd] = [new TextEncoder().encode(`${'x'.repeat(5000)}\n`), '/a "b"\tc' as VirtualPath]
  const node = { kind: 'file', blob: services.blobs.put(text), size: text.length, executable: false } as const
  const edit = { type: 'tree.changed', threadId, callId: null } as const
  appendTo(services.log, [
    { ...edit, branchId: workspace, patch: [['/kept' as VirtualPath, [null, { node, pin: null }]]] },
  ])
  const branchId = forkWith(project, threadId, workspace, 'odd')
  appendTo(services.log, [{ ...edit, branchId, patch: [[odd, [null, { node, pin: null }]]] }])
  const input = { projectId: project.info().id, branchId, paths: null }
  const { changes, patch } = await call(host.router.branches.exportPatch, input, { context: {} })
  expect(changes.map(({ path: changed }) => changed)).toEqual([odd, path])
  expect(patch.files).toBe(2)
  expect(patch.text).toContain('"b/a \\"b\\"\\tc"')
  expect(patch.text).toContain(`+${'x'.repeat(5000)}\n`)
  expect(patch.text).not.toContain('kept')
})
