import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import { entryAt } from '#core/overlay/tree.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from '../composition/project.ts'
import { diskConflict } from '../queries/compare-branches.ts'
import { takeDisk, undoEntry } from '../testing/person.testkit.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import { applyToDisk, checkApply } from './apply.ts'

const path = '/a.txt' as VirtualPath
const temporary = () => mkdtempSync(join(tmpdir(), 'coppice-disk-'))

/** A workspace with line two changed, over a file of four lines. */
async function changedWorkspace(project: Project, folder: string) {
  const { runtime, services } = project
  const threadId = runtime.createThread({ title: 't', model: 'demo', approvalMode: 'auto-edit' })
  const branchId = services.log.state.threads.get(threadId)?.branchId
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
  await expect(diskConflict(project, branchId, path)).rejects.toMatchObject({ code: 'not_found' })

  writeFileSync(file, 'one\ntwo\nthree\nFOUR\n')
  expect(await checkApply(project, branchId, null)).toMatchObject([{ path, state: 'changed' }])
  await expect(applyToDisk(project, branchId, null)).rejects.toMatchObject({ code: 'changed' })
  const { sequence } = await takeDisk(project, branchId, path, null)
  expect(await checkApply(project, branchId, null)).toMatchObject([{ path, state: 'ready' }])
  undoEntry(project, sequence)
  expect(await checkApply(project, branchId, null)).toMatchObject([{ path, state: 'changed' }])

  writeFileSync(file, 'one\n2\nthree\nfour\n')
  await expect(takeDisk(project, branchId, path, null)).rejects.toMatchObject({ code: 'conflict' })
  expect(await diskConflict(project, branchId, path)).toMatchObject({
    base: 'one\ntwo\nthree\nfour\n',
    ours: 'one\nTWO\nthree\nfour\n',
    theirs: 'one\n2\nthree\nfour\n',
  })
  await takeDisk(project, branchId, path, 'one\nTWO and 2\nthree\nfour\n')
  await applyToDisk(project, branchId, null)
  expect(readFileSync(file, 'utf8')).toBe('one\nTWO and 2\nthree\nfour\n')

  writeFileSync(file, 'gone on\n')
  const again = await changedWorkspace(project, folder)
  writeFileSync(file, 'other\n')
  await takeDisk(project, again, path, 'other\n')
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
  const taking = takeDisk(project, branchId, path, null)

  const bytes = new TextEncoder().encode('the edit of the agent\n')
  const edited = { kind: 'file', blob: services.blobs.put(bytes), size: bytes.length, executable: false } as const
  const entry = before && entryAt(before, path)
  if (!entry) throw new Error('nothing was changed')
  const threadId = services.log.state.branches.get(branchId)?.threadId as ThreadId
  const patch = [[path, [entry, { ...entry, node: edited }]]] as const
  appendTo(services.log, [{ type: 'tree.changed', threadId, branchId, callId: null, patch }])

  await expect(taking).rejects.toMatchObject({ code: 'conflict' })
  const head = services.log.trees.heads.get(branchId)
  expect(head && entryAt(head, path)?.node).toEqual(edited)
})
