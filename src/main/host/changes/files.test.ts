import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { expect, it } from 'vitest'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import { readThread } from '#core/journal/read-thread.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'

const context = { context: {} }

it('says which files git leaves out, by the rules of the workspace', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-files-'))
  for (const name of ['.git', 'dist', 'src']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, '.gitignore'), 'dist/\n*.log\n')
  writeFileSync(join(folder, 'a.log'), '')
  writeFileSync(join(folder, 'src/.gitignore'), '!kept.log\n')
  for (const name of ['kept.log', 'b.log', 'c.ts']) writeFileSync(join(folder, 'src', name), '')
  await using host = await openTestHost(mkdtempSync(join(tmpdir(), 'coppice-files-data-')))
  const project = await host.projects.open(folder)
  const ignored = async (path: string) => {
    const input = { projectId: project.info().id, branchId: null, path: path as VirtualPath }
    const { entries } = await call(host.router.files.list, input, context)
    return entries.filter((entry) => entry.ignored).map(({ name }) => name)
  }
  expect(await ignored(rootPath)).toEqual(['.git', 'dist', 'a.log'])
  expect(await ignored('/src')).toEqual(['b.log'])
  execFileSync('git', ['init', '-q', '--template='], { cwd: folder })
  execFileSync('git', ['add', '-f', 'a.log', 'src/b.log'], { cwd: folder })
  mkdirSync(join(folder, '.git/info'))
  writeFileSync(join(folder, '.git/info/exclude'), 'c.ts\n')
  expect(await ignored(rootPath), 'what is tracked').toEqual(['.git', 'dist'])
  expect(await ignored('/src'), 'what the person excludes').toEqual(['c.ts'])
})

it('gives both versions of a changed file, and names a change by them', async () => {
  await using host = await openTestHost(mkdtempSync(join(tmpdir(), 'coppice-versions-')))
  const project = await host.projects.openScratch()
  const { log, blobs } = project.services
  const threadId = project.runtime.createThread({ title: 't', model: 'demo', approvalMode: 'auto-edit' })
  const branchId = readThread(log, threadId)?.branchId ?? ('' as BranchId)
  const path = '/a.bin' as VirtualPath
  const nodeOf = (...bytes: readonly number[]) => {
    const content = Uint8Array.from(bytes)
    return { kind: 'file', blob: blobs.put(content), size: content.length, executable: false } as const
  }
  const entryOf = (...bytes: readonly number[]) => ({ node: nodeOf(...bytes), pin: nodeOf(0) })
  const change = (before: ReturnType<typeof entryOf> | null, after: ReturnType<typeof entryOf>) =>
    appendTo(log, [{ type: 'tree.changed', threadId, branchId, callId: null, patch: [[path, [before, after]]] }])
  const input = { projectId: project.info().id, branchId }
  change(null, entryOf(0, 1))
  const { before, after } = await call(host.router.changes.versions, { ...input, path }, context)
  expect([before?.size, after?.size, after?.base64]).toEqual([1, 2, 'AAE='])
  const [first] = await call(host.router.changes.list, input, context)
  change(entryOf(0, 1), entryOf(0, 2))
  const [second] = await call(host.router.changes.list, input, context)
  expect(first?.identity).not.toBe(second?.identity)
})
