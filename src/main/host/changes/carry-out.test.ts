import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readThread } from '#core/journal/read-thread.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from '../project/project.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import { applyToDisk, undoApply } from './apply.ts'

/** A thread with one changed file in its workspace, written by a run of the demo model. */
async function changedThread(project: Project): Promise<ThreadId> {
  const threadId = project.runtime.createThread({ title: 't', model: 'demo', approvalMode: 'auto-edit' })
  project.runtime.send(threadId, [{ type: 'text', text: 'go' }], 'queue')
  await project.runtime.whenIdle(threadId)
  project.runtime.stop(threadId)
  await project.runtime.whenIdle(threadId)
  return threadId
}

it('an apply that reached the disk but was not stored is finished on the next start, and can be undone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-apply-'))
  const data = mkdtempSync(join(tmpdir(), 'coppice-apply-data-'))
  mkdirSync(join(folder, 'sub'))
  writeFileSync(join(folder, 'sub/a.txt'), 'a\n')
  const first = await openTestHost(data)
  const project = await first.projects.open(folder)
  const threadId = await changedThread(project)
  const { log } = project.services
  const branchId = readThread(log, threadId)?.branchId
  if (!branchId) throw new Error('no branch')
  const written = '/coppice-demo/src/total.js' as VirtualPath
  const crashing: Project = {
    ...project,
    run(decided) {
      if (decided.ok && decided.value.entries[0]?.type === 'apply.finished') throw new Error('killed')
      return project.run(decided)
    },
  }
  await expect(applyToDisk(crashing, branchId, null)).rejects.toThrow('killed')
  expect(readFileSync(join(folder, written), 'utf8')).toContain('Math.round')
  await first[Symbol.asyncDispose]()

  await using second = await openTestHost(data)
  const again = await second.projects.open(folder)
  const entries = again.services.log.entries()
  const finished = entries.find(({ type }) => type === 'apply.finished')
  expect(finished).toMatchObject({ branchId, paths: expect.arrayContaining([written]) })
  await undoApply(again, branchId, finished?.sequence ?? 0)
  expect(() => readFileSync(join(folder, written))).toThrow('ENOENT')
})
