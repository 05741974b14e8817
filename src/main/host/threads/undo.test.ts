import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import { readThread } from '#core/journal/read-thread.ts'
import type { EntryDraft } from '#shared/model/entry.ts'
import type { BranchId, Handle, ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from '../project/project.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import type { Host } from '../wiring/create-host.ts'

const path = '/a' as VirtualPath
const child = 'child' as BranchId
const day = 24 * 60 * 60 * 1000
let host: Host
let project: Project
let threadId: ThreadId
let workspace: BranchId

beforeEach(async () => {
  host = await openTestHost(mkdtempSync(join(tmpdir(), 'coppice-undo-')))
  project = await host.projects.openScratch()
  threadId = project.runtime.createThread({ title: 't', model: 'demo', approvalMode: 'auto-edit' })
  workspace = readThread(project.services.log, threadId)?.branchId ?? child
  const forked = { type: 'branch.forked', branchId: child, parentId: workspace } as const
  appendTo(project.services.log, [
    { ...forked, threadId, ownerThreadId: threadId, handle: 'subagent_0' as Handle, name: 'child' },
    write(child, null, 'theirs'),
  ])
})
afterEach(async () => {
  vi.useRealTimers()
  await host[Symbol.asyncDispose]()
})

function write(branchId: BranchId, before: string | null, after: string | null): EntryDraft {
  const entryOf = (text: string | null) => {
    if (text === null) return null
    const bytes = new TextEncoder().encode(text)
    const blob = project.services.blobs.put(bytes)
    return { node: { kind: 'file', blob, size: bytes.length, executable: false }, pin: null } as const
  }
  const patch = [[path, [entryOf(before), entryOf(after)]]] as const
  return { type: 'tree.changed', threadId, branchId, callId: null, patch }
}

const target = () => ({ projectId: project.info().id, branchId: child })
const merge = () => call(host.router.branches.merge, { ...target(), paths: null }, { context: {} })
const undo = (sequence: number | null) =>
  call(host.router.branches.undo, { projectId: target().projectId, sequence: sequence ?? 0 }, { context: {} })
const discard = () => call(host.router.branches.discard, { ...target(), paths: null }, { context: {} })
const restore = () => call(host.router.branches.restore, target(), { context: {} })
const inWorkspace = () => project.services.log.trees.heads.get(workspace)?.root?.key

describe('undo of a merge', () => {
  it('is possible once: what was merged again since stays merged', async () => {
    const first = await merge()
    await undo(first.sequence)
    await merge()
    await expect(undo(first.sequence)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(inWorkspace()).toBe(path)
    expect((await merge()).sequence).toBeNull()
  })

  it('is refused while a later merge of the same path builds on it, and works in order', async () => {
    const first = await merge()
    appendTo(project.services.log, [write(child, 'theirs', 'more'), write(workspace, 'theirs', 'more')])
    const second = await merge()
    appendTo(project.services.log, [write(workspace, 'more', 'theirs')])
    await expect(undo(first.sequence)).rejects.toMatchObject({ code: 'CONFLICT' })
    await undo(second.sequence)
    await undo(first.sequence)
    expect(inWorkspace()).toBeUndefined()
    expect((await merge()).result.written).toEqual([path])
  })
})

describe('a discarded branch', () => {
  it('can be restored within seven days, with its merges', async () => {
    const { sequence } = await discard()
    await expect(merge()).rejects.toMatchObject({ code: 'CONFLICT' })
    later(7 * day)
    await restore()
    await expect(undo(sequence)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect((await merge()).result.written).toEqual([path])
  })

  it('is gone after seven days, and every command on it says so', async () => {
    const { sequence } = await discard()
    later(7 * day + 1000)
    const gone = { code: 'NOT_FOUND', message: expect.stringContaining('seven days') }
    await expect(restore()).rejects.toMatchObject(gone)
    await expect(undo(sequence)).rejects.toMatchObject(gone)
    await expect(merge()).rejects.toMatchObject(gone)
    await expect(call(host.router.branches.review, target(), { context: {} })).rejects.toMatchObject(gone)
  })
})

function later(milliseconds: number): void {
  const now = Date.now() + milliseconds - 500
  vi.useFakeTimers({ toFake: ['Date'], now })
}
