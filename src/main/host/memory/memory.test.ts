import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { latestVersion } from '#shared/model/memory.ts'
import type { Project } from '../project/project.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import type { Host } from '../wiring/create-host.ts'

const secret = 'api_key = "0123456789abcdef"'
let host: Host
let project: Project
let folder: string
const id = () => ({ projectId: project.info().id })
const memory = (name: string) => project.services.log.state.memories.get(name)
const seen = (name: string) => {
  const found = memory(name)
  return found ? latestVersion(found).sequence : null
}
const write = (name: string, text: string, latest = seen(name)) =>
  call(host.router.memory.write, { ...id(), name, text, latest }, { context: {} })
const restore = (name: string, to: number | null, latest = seen(name)) =>
  call(host.router.memory.restore, { ...id(), name, to, latest }, { context: {} })

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-memory-'))
  host = await openTestHost(join(folder, 'data'))
  project = await host.projects.openScratch()
})
afterEach(async () => {
  await host[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

describe("a person's memory commands", () => {
  it('keep a version for each save, restore one as a new version, and forget nothing', async () => {
    const { sequence: first } = await write('notes/style.md', 'tabs\n')
    await write('notes/style.md', 'spaces\n')
    expect(await write('notes/style.md', 'spaces\n')).toEqual({ sequence: null })
    await call(host.router.memory.delete, { ...id(), name: 'notes/style.md', latest: seen('notes/style.md') })
    expect(memory('notes/style.md')?.text).toBeNull()
    await restore('notes/style.md', first)
    expect(memory('notes/style.md')).toMatchObject({
      text: 'tabs\n',
      versions: { length: 4, value: { agent: null, restores: first } },
    })
    const version = { ...id(), name: 'notes/style.md', sequence: first ?? 0 }
    expect(await call(host.router.memory.version, version)).toEqual({ text: 'tabs\n' })
    await restore('notes/style.md', null)
    expect(memory('notes/style.md')?.text).toBeNull()
  })

  it('report that somebody else wrote meanwhile, and store nothing', async () => {
    const { sequence: first } = await write('a.md', 'one')
    await write('a.md', 'two')
    for (const late of [write('a.md', 'mine', first), restore('a.md', first, first), write('a.md', 'mine', null)])
      await expect(late).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(memory('a.md')).toMatchObject({ text: 'two', versions: { length: 2 } })
  })

  it.each([
    ['a secret', 'a.md', secret, 'REFUSED'],
    ['too much', 'a.md', 'x'.repeat(256 * 1024 + 1), 'REFUSED'],
    ['what is binary', 'a.md', 'a\0b', 'REFUSED'],
    ['a way out', '../a.md', 'x', 'BAD_REQUEST'],
    ['an absolute name', '/a.md', 'x', 'BAD_REQUEST'],
    ['the name of a folder', 'kept', 'x', 'REFUSED'],
    ['a name below a file', 'kept/file.md/x', 'x', 'REFUSED'],
  ])('refuse %s', async (_, name, text, code) => {
    await write('kept/file.md', 'kept')
    await expect(write(name, text)).rejects.toMatchObject({ code })
    expect([...project.services.log.state.memories.keys()]).toEqual(['kept/file.md'])
  })

  it('find a memory by words of its current name and text', async () => {
    await write('notes/style.md', 'Indent with tabs')
    await write('tests.md', 'Run them twice')
    await write('notes/style.md', 'Indent with spaces')
    const search = (query: string) => call(host.router.memory.search, { ...id(), query })
    expect(await search('sty')).toEqual(['notes/style.md'])
    expect(await search('tabs')).toEqual([])
    expect(await search('')).toEqual([])
  })
})

describe('memory as a folder', () => {
  const plan = () => call(host.router.memory.planImport, { ...id(), folder })
  const states = async () => Object.fromEntries((await plan()).files.map(({ name, state }) => [name, state]))

  beforeEach(async () => {
    folder = join(folder, 'notes')
    mkdirSync(join(folder, 'deep'), { recursive: true })
    await write('same.md', 'same')
    await write('changed.md', 'old')
    writeFileSync(join(folder, 'same.md'), 'same')
    writeFileSync(join(folder, 'changed.md'), 'new')
    writeFileSync(join(folder, 'deep/new.md'), 'new')
    writeFileSync(join(folder, 'secret.md'), secret)
    writeFileSync(join(folder, 'image.png'), Buffer.from([0x89, 0, 1]))
    writeFileSync(join(folder, 'large.md'), 'x'.repeat(256 * 1024 + 1))
    symlinkSync('/etc/hostname', join(folder, 'link.md'))
  })

  it('shows the planned imports, imports the chosen ones and names what it refuses', async () => {
    expect(await states()).toEqual({
      'same.md': 'same',
      'changed.md': 'changed',
      'deep/new.md': 'new',
      'secret.md': 'refused',
      'image.png': 'refused',
      'large.md': 'refused',
      'link.md': 'refused',
    })
    const { fingerprint, files } = await plan()
    expect(files.find(({ name }) => name === 'secret.md')?.why).toContain('secret')
    const take = (names: string[]) => call(host.router.memory.import, { ...id(), folder, names, fingerprint })
    await expect(take(['deep/new.md', 'secret.md'])).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    expect(await take(['deep/new.md'])).toEqual({ count: 1 })
    expect([memory('deep/new.md')?.text, memory('changed.md')?.text]).toEqual(['new', 'old'])
  })

  it('imports nothing when the folder or the memory changed since the plan', async () => {
    const { fingerprint } = await plan()
    writeFileSync(join(folder, 'deep/new.md'), 'newer')
    const late = () => call(host.router.memory.import, { ...id(), folder, names: ['deep/new.md'], fingerprint })
    await expect(late()).rejects.toMatchObject({ code: 'CONFLICT' })
    writeFileSync(join(folder, 'deep/new.md'), 'new')
    await write('changed.md', 'new')
    await expect(late()).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(memory('deep/new.md')).toBeUndefined()
  })

  it('exports file by file, and overwrites only what was chosen', async () => {
    await write('deep/out.md', '\uFEFFout')
    await write('link.md', 'not through a link')
    const { fingerprint, files } = await call(host.router.memory.planExport, { ...id(), folder })
    expect(Object.fromEntries(files.map(({ name, state }) => [name, state]))).toEqual({
      'changed.md': 'changed',
      'deep/out.md': 'new',
      'link.md': 'refused',
      'same.md': 'same',
    })
    expect(await call(host.router.memory.export, { ...id(), folder, names: ['deep/out.md'], fingerprint })).toEqual({
      count: 1,
    })
    expect(readFileSync(join(folder, 'deep/out.md'), 'utf8')).toBe('\uFEFFout')
    expect(readFileSync(join(folder, 'changed.md'), 'utf8')).toBe('new')
  })

  it('says what is wrong with the folder', async () => {
    const bad = (path: string) => call(host.router.memory.planImport, { ...id(), folder: path })
    await expect(bad(join(folder, 'none'))).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(bad(join(folder, 'same.md'))).rejects.toMatchObject({ code: 'NOT_A_FOLDER' })
  })
})
