import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openTestHost } from '../testing/test-host.testkit.ts'
import { createTerminals } from './terminals.ts'

it('starts no shell for a window that went away while the mount was being made', async () => {
  const folder = (): string => mkdtempSync(join(tmpdir(), 'coppice-terminals-'))
  const data = folder()
  await using host = await openTestHost(data)
  const project = await host.projects.open(folder())
  const threadId = project.runtime.createThread({ title: 'main', model: 'demo', approvalMode: 'ask' })
  const branchId = project.services.log.state.threads.get(threadId)?.branchId ?? null
  const closing = new AbortController()
  const request = { terminalId: 'one', branchId, columns: 80, rows: 24 }
  const terminals = createTerminals(() => new Set())
  const opening = terminals.open(project, request, closing.signal)
  setImmediate(() => closing.abort('gone'))
  await expect(opening).rejects.toBe('gone')
  expect(() => terminals.running(project.info().id, 'one')).toThrow('has ended')
  const views = readdirSync(join(data, 'projects', project.info().id, 'views'))
  expect(views.filter((name) => name !== '.made-by-coppice')).toEqual([])
})
