import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import { outlineOf } from '#shared/model/derived/outline.ts'
import type { MessageId } from '#shared/model/ids.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import type { Host } from '../wiring/create-host.ts'

let host: Host
beforeEach(async () => {
  host = await openTestHost(mkdtempSync(join(tmpdir(), 'coppice-outline-')))
})
afterEach(() => host[Symbol.asyncDispose]())

it('is sent only for a journal that takes long to read', async () => {
  const project = await host.projects.open(mkdtempSync(join(tmpdir(), 'coppice-outline-project-')))
  const { log } = project.services
  const threadId = project.runtime.createThread({ title: 'Long', model: 'demo', approvalMode: 'auto-edit' })
  const input = { projectId: project.info().id, threadId: null }
  expect(await call(host.router.events.outline, input)).toEqual({ last: log.state.sequence, outline: null })
  const content = [{ type: 'text', text: 'Again' }] as const
  const messages = Array.from({ length: 4_000 }, (_, number) => {
    const message = { role: 'user', messageId: `m${number}` as MessageId, origin: 'notice', content } as const
    return { type: 'message', threadId, message } as const
  })
  appendTo(log, [{ type: 'thread.titled', threadId, title: 'Longer' }, ...messages])
  const { last, outline } = await call(host.router.events.outline, input)
  expect(outline).toEqual(outlineOf(log.state, log.families(), threadId))
  expect(last).toBe(log.state.sequence)
})
