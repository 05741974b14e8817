import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CheckoutContent } from '#core/ports/stores/checkout-folder.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { openCheckoutFolder } from './checkout-folder.ts'

const at = (path: string) => path as VirtualPath
const file = (text: string): CheckoutContent => ({
  kind: 'file',
  bytes: new TextEncoder().encode(text),
  executable: false,
})

function openWorld() {
  const above = mkdtempSync(join(tmpdir(), 'coppice-checkout-'))
  for (const name of ['folder', 'aside', 'outside']) mkdirSync(join(above, name))
  const options = { folder: join(above, 'folder'), stateFile: join(above, 'known'), aside: join(above, 'aside') }
  const place = (path: string) => join(above, path)
  return {
    folder: openCheckoutFolder(options),
    again: () => openCheckoutFolder(options),
    place,
    read: (path: string) => readFileSync(place(path), 'utf8'),
    save(path: string, text: string) {
      mkdirSync(dirname(place(path)), { recursive: true })
      writeFileSync(place(path), text)
    },
  }
}
const shown = async (folder: ReturnType<typeof openCheckoutFolder>, isLeftOut = (_: VirtualPath) => false) => {
  const { changes, uncarried } = await folder.look(isLeftOut, null)
  const text = (content: CheckoutContent) =>
    content?.kind === 'file' ? new TextDecoder().decode(content.bytes) : (content?.target ?? null)
  return { changes: Object.fromEntries(changes.map(({ path, after }) => [path, text(after)])), uncarried }
}

describe('a folder that stands for a branch', () => {
  it('says what a person changed since both were equal, also after a restart', async () => {
    const { folder, again, place, save } = openWorld()
    for (const path of ['/a', '/b', '/d/c']) folder.put(at(path), file(path))
    folder.save()
    expect(await shown(folder)).toEqual({ changes: {}, uncarried: [] })
    save('folder/a', 'mine')
    save('folder/e/new', 'n')
    rmSync(place('folder/d'), { recursive: true })
    symlinkSync('a', place('folder/l'))
    const changes = { '/a': 'mine', '/d/c': null, '/e/new': 'n', '/l': 'a' }
    expect(await shown(folder)).toEqual({ changes, uncarried: [] })
    expect(await shown(again())).toEqual({ changes, uncarried: [] })
    for (const change of (await folder.look(() => false, null)).changes) folder.agree(change)
    folder.save()
    expect([await shown(folder), await shown(again())]).toEqual([
      { changes: {}, uncarried: [] },
      { changes: {}, uncarried: [] },
    ])
  })

  it('leaves out what git ignores, but never what the branch has', async () => {
    const { folder, save } = openWorld()
    folder.put(at('/out/kept'), file('k'))
    save('folder/out/kept', 'mine')
    save('folder/out/x', 'x')
    save('folder/other/out', 'x')
    expect((await shown(folder, (path) => path.includes('out'))).changes).toEqual({ '/out/kept': 'mine' })
  })

  it('follows no link out of the folder', async () => {
    const { folder, place, read, save } = openWorld()
    save('outside/secret', 'secret')
    folder.put(at('/d/c'), file('c'))
    rmSync(place('folder/d'), { recursive: true })
    symlinkSync(place('outside'), place('folder/d'))
    symlinkSync(place('outside/secret'), place('folder/s'))
    expect((await shown(folder)).changes).toEqual({
      '/d': place('outside'),
      '/d/c': null,
      '/s': place('outside/secret'),
    })
    expect(folder.put(at('/d/new'), file('n'))).toBe(false)
    expect(folder.put(at('/d/c'), null)).toBe(false)
    expect([readdirSync(place('outside')), read('outside/secret')]).toEqual([['secret'], 'secret'])
  })

  it('never replaces what a person saved', () => {
    const { folder, read, save, place } = openWorld()
    for (const path of ['/a', '/b', '/c']) folder.put(at(path), file(path))
    save('folder/a', 'mine')
    save('folder/new', 'mine')
    unlinkSync(place('folder/b'))
    rmSync(place('folder/c'))
    mkdirSync(place('folder/c'))
    const put = (path: string, content = file('theirs')) => folder.put(at(path), content)
    expect([put('/a'), put('/a', null), put('/new'), put('/b'), put('/c'), put('/a/below')]).toEqual(
      Array(6).fill(false),
    )
    expect([read('folder/a'), read('folder/new'), readdirSync(place('folder')).sort()]).toEqual([
      'mine',
      'mine',
      ['a', 'c', 'new'],
    ])
    expect(readdirSync(place('aside'))).toEqual([])
  })

  it('finds what a program wrote into a file that it had open before', async () => {
    const { folder, read, place } = openWorld()
    folder.put(at('/a'), file('before'))
    const opened = openSync(place('folder/a'), 'r+')
    expect(folder.put(at('/a'), file('theirs'))).toBe(true)
    expect((await shown(folder)).changes).toEqual({})
    writeSync(opened, 'LATER!', 0)
    closeSync(opened)
    const { changes } = await folder.look(() => false, new Set())
    expect(changes.map(({ path, before, after }) => [path, before !== null, after])).toEqual([
      ['/a', true, file('LATER!')],
    ])
    for (const change of changes) folder.agree(change)
    expect([(await shown(folder)).changes, read('folder/a'), readdirSync(place('aside'))]).toEqual([{}, 'theirs', []])
  })

  it('takes away folders that became empty, and no others', () => {
    const { folder, place, save } = openWorld()
    for (const path of ['/d/e/f', '/g/h']) folder.put(at(path), file('x'))
    save('folder/g/mine', 'm')
    for (const path of ['/d/e/f', '/g/h']) expect(folder.put(at(path), null)).toBe(true)
    expect([readdirSync(place('folder')), readdirSync(place('folder/g'))]).toEqual([['g'], ['mine']])
  })

  it('reads on where its own file was cut off', async () => {
    const { folder, again, place } = openWorld()
    folder.put(at('/a'), file('a'))
    folder.put(at('/b'), file('b'))
    folder.save()
    const text = readFileSync(place('known'), 'utf8')
    writeFileSync(place('known'), text.slice(0, -5))
    expect((await shown(again())).changes).toEqual({ '/b': 'b' })
    renameSync(place('folder/a'), place('folder/c'))
    expect((await shown(again())).changes).toEqual({ '/a': null, '/b': 'b', '/c': 'a' })
  })
})
