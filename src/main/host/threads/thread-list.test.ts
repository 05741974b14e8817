import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import { readThread } from '#core/journal/read-thread.ts'
import { readRecord } from '#core/records/record-format.ts'
import type { MessageId, ThreadId } from '#shared/model/ids.ts'
import type { Project } from '../project/project.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import type { Host } from '../wiring/create-host.ts'
import { listAllThreads } from './stored-threads.ts'

const day = 24 * 60 * 60 * 1000
let host: Host
let project: Project
let dataFolder: string
const create = (title: string) => project.runtime.createThread({ title, model: 'demo', approvalMode: 'auto-edit' })
const target = (threadId: ThreadId) => ({ projectId: project.info().id, threadId })
const stateOf = (threadId: ThreadId) => readThread(project.services.log, threadId)

beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'coppice-threads-'))
  host = await openTestHost(dataFolder)
  project = await host.projects.open(mkdtempSync(join(tmpdir(), 'coppice-threads-project-')))
})
afterEach(async () => {
  vi.useRealTimers()
  await host[Symbol.asyncDispose]()
})

function say(threadId: ThreadId, text: string): number {
  const message = {
    role: 'user',
    messageId: text as MessageId,
    origin: 'person',
    content: [{ type: 'text', text }],
  } as const
  return appendTo(project.services.log, [{ type: 'message', threadId, message }])[0].sequence
}

describe('a thread in the list', () => {
  it('changes its title, pin and place without changing when it was last worked on', async () => {
    const threadId = create('Old')
    const before = stateOf(threadId)
    await call(host.router.threads.rename, { ...target(threadId), title: 'New' })
    await call(host.router.threads.pin, { ...target(threadId), pinned: true })
    await call(host.router.threads.archive, { ...target(threadId), archived: true })
    expect(stateOf(threadId)).toEqual({ ...before, title: 'New', pinned: true, archived: true })
    const { sequence } = project.services.log.state
    await call(host.router.threads.pin, { ...target(threadId), pinned: true })
    expect(project.services.log.state.sequence).toBe(sequence)
  })

  it('is exported as a record that reads back, without what looks like a secret', async () => {
    const threadId = create('Recorded')
    const key = 'sk-ant-api03-CANARY0123456789abcdef'
    say(threadId, `use ${key}`)
    const made = await call(host.router.threads.exportRecord, target(threadId))
    const read = readRecord(made.text)
    expect(read.ok && read.value.header).toMatchObject({ title: 'Recorded', app: '0', secrets: 'replaced' })
    expect(made).toMatchObject({ replaced: 1, name: expect.stringMatching(/^coppice-\S{8}\.jsonl$/) })
    expect(made.text).not.toContain('CANARY')
    const whole = await call(host.router.threads.exportRecord, { ...target(threadId), withSecrets: true })
    expect([whole.text.includes(key), whole.replaced]).toEqual([true, 0])
    const missing = target('none' as ThreadId)
    await expect(call(host.router.threads.exportRecord, missing)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('is exported as a page of the whole conversation, without what looks like a secret', async () => {
    const threadId = create('Shown')
    say(threadId, 'use sk-ant-api03-CANARY0123456789abcdef <b>now</b>')
    const page = await call(host.router.threads.exportPage, target(threadId))
    expect(page.name).toMatch(/^coppice-\S{8}\.html$/)
    expect(page.text).toMatch(/^<!doctype html>/)
    expect(page.text).toContain('&lt;b&gt;now')
    expect(page.text).not.toContain('CANARY')
    const missing = target('none' as ThreadId)
    await expect(call(host.router.threads.exportPage, missing)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('disappears from every list when deleted, and can be restored for seven days', async () => {
    const threadId = create('Gone')
    await call(host.router.threads.delete, target(threadId))
    expect(stateOf(threadId)?.deletedAt).toEqual(expect.any(Number))
    expect(listAllThreads(dataFolder).threads).toEqual([])
    const message = { ...target(threadId), text: 'go on' }
    await expect(call(host.router.threads.send, message)).rejects.toMatchObject({ code: 'REFUSED' })
    const { continue: continueRun, compact } = host.router.threads
    const decision = { ...target(threadId), interruptId: 'i', decisions: [{ type: 'approve' as const, callId: 'c' }] }
    const rewind = { ...target(threadId), to: 1, files: true, conversation: true }
    const retry = { ...target(threadId), callId: 'c' }
    for (const refused of [
      call(continueRun, target(threadId)),
      call(compact, target(threadId)),
      call(host.router.approvals.decide, decision),
      call(host.router.rewind.to, rewind),
      call(host.router.batches.retry, retry),
    ])
      await expect(refused).rejects.toMatchObject({ code: 'REFUSED', message: expect.stringContaining('deleted') })
    await call(host.router.threads.restore, target(threadId))
    expect(stateOf(threadId)?.deletedAt).toBeNull()
    expect(listAllThreads(dataFolder).threads.map(({ title }) => title)).toEqual(['Gone'])
    await call(host.router.threads.delete, target(threadId))
    vi.useFakeTimers({ now: Date.now() + 8 * day, toFake: ['Date'] })
    await expect(call(host.router.threads.restore, target(threadId))).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('message search', () => {
  const search = (query: string, limit = 10) =>
    call(host.router.threads.search, { projectId: project.info().id, query, limit })

  it('finds messages in existing threads, latest first, with the words marked', async () => {
    const [one, two] = [create('one'), create('two')]
    say(one, 'Round the totals')
    const hidden = say(two, 'totals of a deleted thread')
    say(one, 'No totals without tests')
    await call(host.router.threads.delete, target(two))
    const { hits, more } = await search('TOTAL')
    expect(hits.map(({ messageId, threadId }) => [messageId, threadId])).toEqual([
      ['No totals without tests', one],
      ['Round the totals', one],
    ])
    expect(more).toBe(false)
    expect(hits[0]?.snippet).toEqual([
      { text: 'No ', found: false },
      { text: 'totals', found: true },
      { text: ' without tests', found: false },
    ])
    await call(host.router.threads.restore, target(two))
    expect((await search('total')).hits.map(({ sequence }) => sequence)).toContain(hidden)
    expect(await search('total', 2)).toMatchObject({ hits: { length: 2 }, more: true })
  })

  it('leaves out messages that a rewind took away, and continues behind them', async () => {
    const threadId = create('rewound')
    say(threadId, 'kept needle')
    const to = say(threadId, 'the checkpoint is before this')
    for (let count = 0; count < 150; count += 1) say(threadId, `needle ${count}`)
    appendTo(project.services.log, [
      { type: 'rewound', threadId, to: to - 1, files: null, conversation: true, undoes: null },
    ])
    expect((await search('needle')).hits.map(({ messageId }) => messageId)).toEqual(['kept needle'])
  })
})
