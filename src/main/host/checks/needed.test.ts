import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { expect, it } from 'vitest'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import { readThread } from '#core/journal/read-thread.ts'
import { createOverlayTransaction, diffTrees, emptyTree } from '#overlay'
import type { BranchId, Handle, ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'

const context = { context: {} }
const branchId = 'one' as BranchId
const path = (name: string) => `/${name}` as VirtualPath
const lines = (changed: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: 30 }, (_, index) => `${changed[index] ?? index}\n`).join('')

/** A branch with three hunks in two files, and the search of what a check needs of it. */
async function openBranch() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-needed-')))
  const [folder, data] = [join(root, 'project'), join(root, 'data')]
  for (const one of [folder, data]) mkdirSync(one)
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(folder, name), lines())
  const checks = [
    { name: 'first', run: 'grep -q first a.txt' },
    { name: 'always', run: 'true' },
    { name: 'slow', run: 'if grep -q first a.txt && grep -q second a.txt; then exit 0; fi; sleep 600' },
  ]
  writeFileSync(join(data, 'settings.json'), JSON.stringify({ checks }))
  const host = await openTestHost(data)
  const project = await host.projects.open(folder)
  const { services, runtime } = project
  const threadId = runtime.createThread({ title: 't', model: 'demo', approvalMode: 'auto-edit' })
  const parentId = readThread(services.log, threadId)?.branchId ?? ('' as BranchId)
  const owner = { ownerThreadId: 'thread of one' as ThreadId, handle: 'one' as Handle, name: 'one' }
  appendTo(services.log, [{ type: 'branch.forked', threadId, branchId, parentId, ...owner }])
  const head = () => services.log.trees.heads.get(branchId) ?? emptyTree
  async function write(name: string, text: string): Promise<void> {
    const before = head()
    const draft = createOverlayTransaction({ ...services, tree: before })
    await draft.write(path(name), new TextEncoder().encode(text))
    const patch = diffTrees(before, draft.tree)
    appendTo(services.log, [{ type: 'tree.changed', threadId, branchId, callId: null, patch }])
  }
  await write('a.txt', lines({ 1: 'first', 20: 'second' }))
  await write('b.txt', lines({ 5: 'third' }))
  const target = { projectId: project.info().id, branchId }
  const { checks: commands, branches } = host.router
  const view = () => call(commands.neededOf, target, context)
  return {
    ...{ host, head, write, view },
    start: (check: string) => call(commands.needed, { ...target, check }, context),
    ended: () => expect.poll(async () => (await view())?.end ?? null).not.toBeNull(),
    cancel: () => call(commands.cancelNeeded, target, context),
    remove: () => call(commands.removeUnneeded, target, context),
    undo: (sequence: NonNullable<Awaited<ReturnType<typeof view>>>['runs']) =>
      call(branches.undo, { projectId: target.projectId, sequence }, context),
  }
}

it('finds what a check needs of a branch, takes the rest off, and gives it back', async () => {
  const world = await openBranch()
  await using _ = world.host
  expect(await world.view()).toBeNull()
  const before = world.head()
  await world.start('first')
  await world.ended()
  const found = await world.view()
  expect(found).toMatchObject({ check: 'first', of: 3, left: 1, canRemove: true })
  const parts = found?.end?.kind === 'found' ? found.end.parts : []
  expect(parts.map((part) => [part.path, part.hunk, part.needed])).toEqual([
    ['/a.txt', 0, true],
    ['/a.txt', 1, false],
    ['/b.txt', 0, false],
  ])
  const { sequence } = await world.remove()
  expect(diffTrees(emptyTree, world.head()).map(([at]) => at)).toEqual(['/a.txt'])
  expect((await world.view())?.canRemove).toBe(false)
  await world.undo(sequence ?? 0)
  expect(diffTrees(before, world.head())).toEqual([])
})

it('refuses a check that is green without the change, and a removal after the branch has changed', async () => {
  const world = await openBranch()
  await using _ = world.host
  await expect(world.remove()).rejects.toThrow('Nothing was searched')
  await expect(world.start('nobody')).rejects.toThrow('There is no check "nobody"')
  await world.start('always')
  await world.ended()
  expect((await world.view())?.end).toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('green without the change too'),
  })
  await world.start('first')
  await world.ended()
  await world.write('b.txt', lines({ 5: 'third', 6: 'more' }))
  expect((await world.view())?.canRemove).toBe(false)
  await expect(world.remove()).rejects.toThrow('The branch changed while the search went on')
})

it('stops while the check runs', async () => {
  const world = await openBranch()
  await using _ = world.host
  await world.start('slow')
  await expect.poll(async () => (await world.view())?.runs).toBe(2)
  await world.cancel()
  await world.ended()
  expect((await world.view())?.end).toEqual({ kind: 'cancelled' })
})
