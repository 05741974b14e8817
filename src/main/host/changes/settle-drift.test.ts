import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import { readBranch, readThread } from '#core/journal/read-thread.ts'
import { entryAt } from '#overlay'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { OverlayEntry } from '#shared/model/tree-node.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { diskConflict } from '../branches/compare-branches.ts'
import type { Project } from '../project/project.ts'
import { settleDrift, undoEntry } from '../testing/person.testkit.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import { applyToDisk, checkApply } from './apply.ts'

const path = '/a.txt' as VirtualPath
const temporary = () => mkdtempSync(join(tmpdir(), 'coppice-disk-'))

/** A workspace with line two changed, over a file of four lines. */
async function changedWorkspace(project: Project, folder: string) {
  const { runtime, services } = project
  const threadId = runtime.createThread({ title: 't', model: 'demo', approvalMode: 'auto-edit' })
  const branchId = readThread(services.log, threadId)?.branchId
  if (!branchId) throw new Error('no branch')
  const put = (text: string) => {
    const bytes = new TextEncoder().encode(text)
    return { kind: 'file', blob: services.blobs.put(bytes), size: bytes.length, executable: false } as const
  }
  const entry = { node: put('one\nTWO\nthree\nfour\n'), pin: put(readFileSync(join(folder, 'a.txt'), 'utf8')) }
  appendTo(services.log, [{ type: 'tree.changed', threadId, branchId, callId: null, patch: [[path, [null, entry]]] }])
  return branchId
}

it('a file changed outside is merged with the workspace, decided by hand, and only then applied', async () => {
  const folder = temporary()
  const file = join(folder, 'a.txt')
  writeFileSync(file, 'one\ntwo\nthree\nfour\n')
  await using host = await openTestHost(temporary())
  const project = await host.projects.open(folder)
  const branchId = await changedWorkspace(project, folder)
  await expect(diskConflict(project, branchId, path)).rejects.toMatchObject({ code: 'NOT_FOUND' })

  writeFileSync(file, 'one\ntwo\nthree\nFOUR\n')
  expect(await checkApply(project, branchId, null)).toMatchObject([{ path, state: 'changed' }])
  await expect(applyToDisk(project, branchId, null)).rejects.toMatchObject({ code: 'changed' })
  const { sequence } = await settleDrift(project, branchId, { path, keep: 'both' })
  expect(await checkApply(project, branchId, null)).toMatchObject([{ path, state: 'ready' }])
  undoEntry(project, sequence)
  expect(await checkApply(project, branchId, null)).toMatchObject([{ path, state: 'changed' }])

  writeFileSync(file, 'one\n2\nthree\nfour\n')
  await expect(settleDrift(project, branchId, { path, keep: 'both' })).rejects.toMatchObject({ code: 'conflict' })
  expect(await diskConflict(project, branchId, path)).toMatchObject({
    base: 'one\ntwo\nthree\nfour\n',
    ours: 'one\nTWO\nthree\nfour\n',
    theirs: 'one\n2\nthree\nfour\n',
  })
  await settleDrift(project, branchId, { path, text: 'one\nTWO and 2\nthree\nfour\n' })
  await applyToDisk(project, branchId, null)
  expect(readFileSync(file, 'utf8')).toBe('one\nTWO and 2\nthree\nfour\n')

  writeFileSync(file, 'gone on\n')
  const again = await changedWorkspace(project, folder)
  writeFileSync(file, 'other\n')
  await settleDrift(project, again, { path, text: 'other\n' })
  expect(await checkApply(project, again, null), 'the disk’s own text is no change').toEqual([])
})

it('refuses to take from disk when an agent edits the file meanwhile, and loses neither edit', async () => {
  const folder = temporary()
  writeFileSync(join(folder, 'a.txt'), 'one\ntwo\nthree\nfour\n')
  await using host = await openTestHost(temporary())
  const project = await host.projects.open(folder)
  const branchId = await changedWorkspace(project, folder)
  writeFileSync(join(folder, 'a.txt'), 'one\ntwo\nthree\nFOUR\n')
  const { services } = project
  const before = services.log.trees.heads.get(branchId)
  const taking = settleDrift(project, branchId, { path, keep: 'both' })

  const bytes = new TextEncoder().encode('the edit of the agent\n')
  const edited = { kind: 'file', blob: services.blobs.put(bytes), size: bytes.length, executable: false } as const
  const entry = before && entryAt(before, path)
  if (!entry) throw new Error('nothing was changed')
  const threadId = readBranch(services.log, branchId)?.threadId as ThreadId
  const patch = [[path, [entry, { ...entry, node: edited }]]] as const
  appendTo(services.log, [{ type: 'tree.changed', threadId, branchId, callId: null, patch }])

  await expect(taking).rejects.toMatchObject({ code: 'conflict' })
  const head = services.log.trees.heads.get(branchId)
  expect(head && entryAt(head, path)?.node).toEqual(edited)
})

it('a renamed file meets what was changed at its old path', async () => {
  const folder = temporary()
  writeFileSync(join(folder, 'a.txt'), 'one\ntwo\nthree\nfour\n')
  await using host = await openTestHost(temporary())
  const project = await host.projects.open(folder)
  const branchId = await changedWorkspace(project, folder)
  const to = '/b.txt' as VirtualPath
  moveWithin(project, branchId, to)
  expect(await checkApply(project, branchId, null)).toMatchObject([{ path: to, kind: 'rename', state: 'ready' }])

  writeFileSync(join(folder, 'a.txt'), 'one\ntwo\nthree\nFOUR\n')
  const drifted = [{ path: to, state: 'changed', joins: true, why: '/a.txt: Its content changed on disk.' }]
  expect(await checkApply(project, branchId, null)).toMatchObject(drifted)
  expect(await diskConflict(project, branchId, to)).toMatchObject({ theirs: 'one\ntwo\nthree\nFOUR\n' })
  const ours = await settleDrift(project, branchId, { path: to, keep: 'ours' })
  expect(await checkApply(project, branchId, null)).toMatchObject([{ path: to, state: 'ready' }])
  undoEntry(project, ours.sequence)
  await settleDrift(project, branchId, { path: to, keep: 'both' })
  await applyToDisk(project, branchId, null)
  expect(readdirSync(folder)).toEqual(['b.txt'])
  expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('one\nTWO\nthree\nFOUR\n')
})

it('the workspace’s version of any kind can be kept: bytes, a deletion, a link; never over a folder', async () => {
  const folder = temporary()
  for (const name of ['a.txt', 'gone', 'link', 'folder']) writeFileSync(join(folder, name), 'one\n')
  await using host = await openTestHost(temporary())
  const project = await host.projects.open(folder)
  const branchId = await changedWorkspace(project, folder)
  const blob = project.services.blobs.put(Uint8Array.of(0, 255, 1))
  const pin = entryOf(project, branchId, path).pin
  changeTree(project, branchId, [
    [path, [entryOf(project, branchId, path), { node: { kind: 'file', blob, size: 3, executable: true }, pin }]],
    ['/folder' as VirtualPath, [null, { node: null, pin }]],
    ['/gone' as VirtualPath, [null, { node: null, pin }]],
    ['/link' as VirtualPath, [null, { node: { kind: 'symlink', target: 'a.txt' }, pin }]],
  ])
  for (const name of ['a.txt', 'gone', 'link']) writeFileSync(join(folder, name), 'other\n')
  rmSync(join(folder, 'folder'))
  mkdirSync(join(folder, 'folder'))
  const states = (await checkApply(project, branchId, null)).map(({ path: at, state, joins }) => [at, state, joins])
  expect(states).toEqual([
    ['/a.txt', 'changed', undefined],
    ['/folder', 'refused', undefined],
    ['/gone', 'changed', undefined],
    ['/link', 'changed', undefined],
  ])
  const keep = 'ours' as const
  const all = ['/a.txt', '/gone', '/link', '/folder'].map((at) => ({ path: at as VirtualPath, keep }))
  await expect(settleDrift(project, branchId, ...all)).rejects.toThrow('/folder is a folder on disk now')
  await settleDrift(project, branchId, ...all.slice(0, 3), { path: '/folder' as VirtualPath, keep: 'theirs' })
  await applyToDisk(project, branchId, null)
  expect(readdirSync(folder).sort()).toEqual(['a.txt', 'folder', 'link'])
  expect(readFileSync(join(folder, 'a.txt'))).toEqual(Buffer.from([0, 255, 1]))
  expect(readlinkSync(join(folder, 'link'))).toBe('a.txt')
})

function entryOf({ services }: Project, branchId: BranchId, at: VirtualPath): OverlayEntry {
  const head = services.log.trees.heads.get(branchId)
  const entry = head && entryAt(head, at)
  if (!entry) throw new Error(`${at} is not changed`)
  return entry
}

function changeTree({ services }: Project, branchId: BranchId, patch: Patch): void {
  const threadId = readBranch(services.log, branchId)?.threadId as ThreadId
  appendTo(services.log, [{ type: 'tree.changed', threadId, branchId, callId: null, patch }])
}

/** Renames `path`, with its change. */
function moveWithin(project: Project, branchId: BranchId, to: VirtualPath): void {
  const entry = entryOf(project, branchId, path)
  changeTree(project, branchId, [
    [path, [entry, { node: null, pin: entry.pin }]],
    [to, [null, { node: entry.node, pin: null, renamedFrom: path }]],
  ])
}
