import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '#adapters/clock/system-clock.ts'
import { openSharedTexts } from '#adapters/sqlite/shared-texts.ts'
import { describeBackend } from '#core/tools/namespace/backends.contract.ts'
import { openRouted } from '#core/tools/namespace/backends.testkit.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { CheckedRoute } from '../settings/routes.ts'
import { openRoutes } from './open-routes.ts'
import { scratchPlace } from './project-place.ts'

const at = (path: string) => path as VirtualPath
const bytes = (text: string) => new TextEncoder().encode(text)
const temporary = () => realpathSync(mkdtempSync(join(tmpdir(), 'coppice-routes-')))

/** A scratch project with one real route, `/place/`. */
async function open(setting: CheckedRoute['setting'], data = temporary()) {
  const texts = openSharedTexts(join(data, 'shared.db'), systemClock)
  onTestFinished(() => texts[Symbol.dispose]())
  const place = scratchPlace(data, 'test' as ProjectId)
  const log = () => undefined
  const opened = await openRoutes(
    { dataFolder: data, environment: {}, log },
    place,
    [{ prefix: '/place/', setting }],
    texts,
  )
  onTestFinished(() => opened[Symbol.dispose]())
  return { opened, data, place }
}

async function openFolder(write: 'never' | 'ask', files: Readonly<Record<string, string>> = {}) {
  const path = temporary()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(path, name, '..'), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  const { opened } = await open({ kind: 'folder', path, write })
  return { path, ...(await openRouted(opened.wanted)) }
}

describeBackend('the store of a user, in its database', async () => {
  const { opened } = await open({ kind: 'store', scope: 'user' })
  return openRouted(opened.wanted)
})

describeBackend('a real folder, with every change approved', async () => {
  const { begin } = await openFolder('ask')
  return { begin: () => begin(() => true) }
})

it.each([
  ['are removed when it is opened', false],
  ['stay while an interrupted write may need them', true],
])('the deleted large files that a real folder left %s', async (_, waits) => {
  const path = temporary()
  const setting = { kind: 'folder', path, write: 'ask' } as const
  const { data, place } = await open(setting)
  const own = join(place.dataFolder, 'routes', String(readdirSync(join(place.dataFolder, 'routes'))[0]))
  mkdirSync(join(own, 'kept-files'))
  writeFileSync(join(own, 'kept-files', 'abc.1'), 'one')
  if (waits) mkdirSync(join(own, 'apply', 'one.damaged'))
  await open(setting, data)
  expect(existsSync(join(own, 'kept-files', 'abc.1'))).toBe(waits)
})

describe('the guard of a real folder', () => {
  const change = {
    write: (files: ReturnType<Awaited<ReturnType<typeof openRouted>>['begin']>) =>
      files.write(at('/place/a'), bytes('x')),
    delete: (files: ReturnType<Awaited<ReturnType<typeof openRouted>>['begin']>) => files.delete(at('/place/a')),
    move: (files: ReturnType<Awaited<ReturnType<typeof openRouted>>['begin']>) => files.move(at('/place/a'), at('/b')),
  }
  it.each(['write', 'delete', 'move'] as const)(
    'keeps an unapproved %s from the disk; without the guard it would be done',
    async (name) => {
      const { path, begin } = await openFolder('ask', { a: 'one' })
      const guarded = begin()
      await expect(change[name](guarded)).rejects.toMatchObject({ code: 'refused' })
      await guarded.commitOutside()
      expect(readFileSync(join(path, 'a'), 'utf8')).toBe('one')
      const elsewhere = begin((file) => file === '/place/other')
      await expect(change[name](elsewhere)).rejects.toMatchObject({ code: 'refused' })
      const mutated = begin(() => true)
      await change[name](mutated)
      expect(readFileSync(join(path, 'a'), 'utf8'), 'nothing is done before the commit').toBe('one')
      await mutated.commitOutside()
      mutated.commitStores()
      await mutated.finishOutside()
      expect(existsSync(join(path, 'a')) && readFileSync(join(path, 'a'), 'utf8')).toBe(name === 'write' ? 'x' : false)
    },
  )

  it('has no way to write when the folder is only read, whatever is approved', async () => {
    const { path, begin } = await openFolder('never', { a: 'one' })
    for (const one of Object.values(change)) {
      const files = begin(() => true)
      await expect(one(files)).rejects.toMatchObject({ code: 'read_only' })
      await files.commitOutside()
    }
    expect([readdirSync(path), readFileSync(join(path, 'a'), 'utf8')]).toEqual([['a'], 'one'])
  })

  it('refuses to write through links, and to write what changed or became a link meanwhile', async () => {
    const { path, begin } = await openFolder('ask', { 'd/a': 'one', b: 'two', c: 'three' })
    const outside = temporary()
    writeFileSync(join(outside, 'a'), 'outside')
    symlinkSync('b', join(path, 'link'))
    symlinkSync(outside, join(path, 'out'))
    for (const name of ['/place/link', '/place/out/a', '/place/out/new', '/place/.git/hooks/pre-commit'])
      await expect(begin(() => true).write(at(name), bytes('x')), name).rejects.toThrow()
    const changed = begin(() => true)
    await changed.write(at('/place/c'), bytes('mine'))
    writeFileSync(join(path, 'c'), 'a person')
    await expect(changed.commitOutside()).rejects.toThrow('Nothing was changed in the real folder')
    const swapped = begin(() => true)
    await swapped.write(at('/place/d/a'), bytes('mine'))
    renameSync(join(path, 'd'), join(path, 'moved'))
    symlinkSync(outside, join(path, 'd'))
    await expect(swapped.commitOutside()).rejects.toThrow('Nothing was changed in the real folder')
    expect([
      readFileSync(join(path, 'b'), 'utf8'),
      readFileSync(join(path, 'c'), 'utf8'),
      readFileSync(join(outside, 'a'), 'utf8'),
      readFileSync(join(path, 'moved/a'), 'utf8'),
      readdirSync(outside),
    ]).toEqual(['two', 'a person', 'outside', 'one', ['a']])
    await begin(() => true).delete(at('/place/link'))
  })

  it('keeps a file that is moved into the project until the result is stored, and for ever when it changes', async () => {
    const { path, begin } = await openFolder('ask', { a: 'one' })
    const moved = async () => {
      const files = begin(() => true)
      await files.move(at('/place/a'), at('/b'))
      await files.commitOutside()
      expect(readFileSync(join(path, 'a'), 'utf8'), 'before the result').not.toBe('')
      return files
    }
    const dropped = await moved()
    expect([await dropped.finishOutside(), readFileSync(join(path, 'a'), 'utf8')]).toEqual([undefined, 'one'])
    const overtaken = await moved()
    overtaken.commitStores()
    writeFileSync(join(path, 'a'), 'a person')
    expect(await overtaken.finishOutside()).toContain('still there too. Nothing was changed in the real folder')
    expect(readFileSync(join(path, 'a'), 'utf8')).toBe('a person')
    const stored = await moved()
    stored.commitStores()
    expect([await stored.finishOutside(), existsSync(join(path, 'a'))]).toEqual([undefined, false])
  })

  it('is not opened when a link took the place of the folder', async () => {
    const path = temporary()
    renameSync(path, `${path}-moved`)
    symlinkSync('/etc', path)
    const { opened } = await open({ kind: 'folder', path, write: 'ask' })
    expect([opened.wanted, opened.problems]).toEqual([[], [expect.stringContaining('became a link')]])
  })
})
