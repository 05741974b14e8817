import { closeSync, mkdtempSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readThread } from '#core/journal/read-thread.ts'
import { readRecord, type ThreadRecord } from '#core/records/record-format.ts'
import type { Project } from '../project/project.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import type { Host } from '../wiring/create-host.ts'
import { exportRecord, findRecordProblem, openRecording } from './record-thread.ts'
import { readReplay } from './replay-source.ts'

const options = { version: '1.0.0', withSecrets: false }
let host: Host
let project: Project
let folder: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-record-'))
  host = await openTestHost(mkdtempSync(join(tmpdir(), 'coppice-record-data-')))
  project = await host.projects.open(folder)
})
afterEach(() => host[Symbol.asyncDispose]())

function begin() {
  const content = [{ type: 'text', text: 'show me' }] as const
  return project.runtime.begin({ title: 'show me', model: 'demo', approvalMode: 'auto-edit' }, () => content)
}

function readFile(file: string): ThreadRecord {
  const read = readRecord(readFileSync(file, 'utf8'))
  if (!read.ok) throw new Error(read.error)
  return read.value
}

describe('the record of a run', () => {
  it('is written while the run goes on, and is what an export gives', async () => {
    const file = join(folder, 'r.jsonl')
    using recording = await openRecording(project, 'demo', file, options)
    const id = begin()
    recording.start(id)
    const atFirst = readFile(file)
    expect(atFirst.lines.map(({ kind }) => kind)).toEqual(
      ['agent', 'name', 'name', 'message', 'start'].slice(0, atFirst.lines.length),
    )
    await expect.poll(() => readFile(file).lines.length).toBeGreaterThan(atFirst.lines.length)
    await project.runtime.whenIdle(id)
    expect(recording.finish()).toEqual([expect.stringMatching(/^The record is in .*r\.jsonl \(\d+ bytes\)\.$/)])
    const { text } = await exportRecord(project, id, options)
    const exported = readRecord(text)
    expect(exported.ok && exported.value.lines).toEqual(readFile(file).lines)
    expect(readReplay(text).ok).toBe(true)
    // A file that holds its head alone would replay as the same, with nothing in it.
    expect(readReplay(`${text.split('\n')[0]}\n`)).toMatchObject({
      ok: false,
      error: expect.stringMatching(/no reply/),
    })
  })

  it('ends with a sentence when the disk takes no more, and the run goes on', async () => {
    const full = '/dev/full'
    const hasFull = process.platform === 'linux'
    using recording = await openRecording(project, 'demo', hasFull ? full : join(folder, 'r'), options)
    const id = begin()
    recording.start(id)
    await project.runtime.whenIdle(id)
    expect(readThread(project.services.log, id)?.status).not.toBe('failed')
    if (hasFull)
      expect(recording.finish()).toEqual([expect.stringMatching(/^The record ends before the run did: ENOSPC/)])
  })

  it('is never written over something, nor through a link', () => {
    const [mine, empty] = [join(folder, 'mine'), join(folder, 'empty')]
    writeFileSync(mine, 'x')
    closeSync(openSync(empty, 'w'))
    symlinkSync(empty, join(folder, 'link'))
    expect(findRecordProblem(mine, null)).toContain(
      'mine exists already. A record is never written over something else',
    )
    expect(findRecordProblem(empty, null)).toBeNull()
    expect(findRecordProblem(join(folder, 'link'), null)).toContain('is a link')
    expect(findRecordProblem(folder, null)).toContain('is a folder')
  })

  it('names the checked-out commit, if there is one', async () => {
    const { text } = await exportRecord(project, begin(), options)
    expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ commit: null, app: '1.0.0', model: 'demo' })
  })
})
