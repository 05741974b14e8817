import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { never, place, shownPlaces } from '#core/ports/branch-mounts.contract.ts'
import type { PlaceRequest } from '#core/ports/branch-mounts.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { makeTemporary, removeMade } from '../../system/made-folders.ts'
import { openMountsWorld } from '../mounts-world.testkit.ts'
import { createPlaceFolders, type PlaceFolders } from './place-folders.ts'

let above: string
let folders: PlaceFolders
beforeEach(() => {
  above = makeTemporary('places')
  folders = createPlaceFolders((owner) => join(above, owner))
})
afterEach(() => removeMade(above))

/** Opens places, lets a script change them (`$0` is the folder of all), and returns what was captured. */
async function run(script: string, places: readonly PlaceRequest[], owner = 'branch') {
  const open = await folders.open({ owner, places, sealed: false }, never)
  const output = execFileSync('bash', ['-c', `cd "$0" && ${script}`, join(above, owner)]).toString()
  const changes = shownPlaces(await open.capture())
  await open.close()
  return { output, changes, leftOut: open.leftOut }
}

/** Counts how often the content of each file is read. */
function counting({ files, ...own }: PlaceRequest) {
  const reads: string[] = []
  const counted = files.map((file) => ({
    ...file,
    read: () => {
      reads.push(file.path)
      return file.read()
    },
  }))
  return { reads, place: { ...own, files: counted } }
}
const inputs = () => place('inputs', { a: 'a', 'deep/b': 'b' })

describe('folders of places', () => {
  it('are private, and their files are written once while they stay the same', async () => {
    const { reads, place: counted } = counting(inputs())
    for (let round = 0; round < 3; round += 1) await run('cat inputs/a > /dev/null', [counted])
    expect(reads).toEqual(['/inputs/a', '/inputs/deep/b'])
    expect(lstatSync(join(above, 'branch')).mode & 0o777).toBe(0o700)
    expect(lstatSync(join(above, 'branch/inputs/a')).mode & 0o777).toBe(0o600)
    await run('echo x > inputs/a', [counted])
    await run('true', [counted])
    expect(reads.slice(2), 'only what a program changed is written again').toEqual(['/inputs/a'])
  })

  it('find every way to change a file, even one that keeps its size and times', async () => {
    const { changes } = await run(
      'touch -r inputs/a times; echo -n A > inputs/a; touch -r times inputs/a; rm times; mv inputs/deep/b inputs/c',
      [inputs()],
    )
    expect(changes).toEqual(['/inputs/a - A', '/inputs/c - b', '/inputs/deep/b absent'])
  })

  it('restore everything, whatever programs left there', async () => {
    await run(
      `rm -r inputs/deep; ln -s / inputs/deep; mkfifo inputs/pipe; mkdir -p inputs/x/y inputs/z; chmod 0 inputs/z
       echo 1 > inputs/x/y/file; echo 2 > $'inputs/new\\nline'; echo 3 > $'inputs/bad\\xff'`,
      [inputs()],
    )
    const { output, changes } = await run('find . | sort; cat inputs/a inputs/deep/b', [inputs()])
    expect(output).toBe('.\n./inputs\n./inputs/a\n./inputs/deep\n./inputs/deep/b\nab')
    expect(changes).toEqual([])
  })

  it('never write through a link that somebody put in place of a folder', async () => {
    await run('true', [inputs()])
    const outside = join(above, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'b'), 'canary')
    execFileSync('rm', ['-r', join(above, 'branch/inputs/deep')])
    symlinkSync(outside, join(above, 'branch/inputs/deep'))
    const changed = place('inputs', { a: 'a', 'deep/b': 'changed', 'deep/new': 'n' })
    const { output } = await run('cat inputs/deep/b inputs/deep/new', [changed])
    expect(output).toBe('changedn')
    expect([readdirSync(outside), readFileSync(join(outside, 'b'), 'utf8')]).toEqual([['b'], 'canary'])
  })

  it('leave out files that cannot be read, and names that no file can have', async () => {
    const good = place('inputs', { a: 'a', ['x'.repeat(300)]: 'long' })
    const damaged = { path: '/inputs/damaged' as VirtualPath, content: '1', size: 1, read: () => null }
    const { output, leftOut, changes } = await run('ls inputs', [{ ...good, files: [...good.files, damaged] }])
    expect([output, changes]).toEqual(['a\n', []])
    expect(leftOut).toEqual([`/inputs/${'x'.repeat(300)}`, '/inputs/damaged'])
  })

  it('leave out the largest files beyond their limit, without reading them', async () => {
    const huge = {
      ...{ path: '/inputs/huge' as VirtualPath, content: '1', size: 300 * 1024 * 1024 },
      read: () => {
        throw new Error('It must not be read.')
      },
    }
    const { output, leftOut } = await run('ls inputs/deep inputs', [{ ...inputs(), files: [...inputs().files, huge] }])
    expect([output, leftOut]).toEqual(['inputs:\na\ndeep\n\ninputs/deep:\nb\n', ['/inputs/huge']])
  })

  it('refuse more bytes and files than one run may write, and keep the others', async () => {
    const { changes } = await run(
      'truncate -s 1G inputs/big; truncate -s 40M inputs/c1 inputs/c2; for i in {1..5100}; do : > inputs/f$i; done',
      [inputs()],
    )
    const refused = changes.filter((line) => line.includes(': beyond the 64 MB and 5000 files'))
    expect(changes).toHaveLength(5103)
    expect(refused).toHaveLength(103)
    expect(refused).toContain('/inputs/big: beyond the 64 MB and 5000 files that one run may write there')
  })

  it('report nothing as deleted in a folder that cannot be read', async () => {
    const isRoot = process.getuid?.() === 0
    const { changes } = await run('chmod 0 inputs/deep', [inputs()])
    // Root reads it anyway.
    expect(changes).toEqual(isRoot ? [] : ['/inputs/deep: a folder that cannot be read'])
    expect((await run('cat inputs/deep/b', [inputs()])).output).toBe('b')
  })

  it('open one at a time for one owner, and stop waiting with the reason of the signal', async () => {
    const first = await folders.open({ owner: 'branch', places: [inputs()], sealed: false }, never)
    const controller = new AbortController()
    const second = folders.open({ owner: 'branch', places: [inputs()], sealed: false }, controller.signal)
    controller.abort('stopped')
    await expect(second).rejects.toBe('stopped')
    await first.close()
    expect((await run('cat inputs/a', [inputs()])).output).toBe('a')
  })

  it('can be opened while their old content is still being removed', async () => {
    await run('for i in {1..2000}; do : > inputs/deep/f$i; done', [inputs()])
    const removing = folders.remove('branch')
    expect((await run('cat inputs/a inputs/deep/b', [inputs()])).output).toBe('ab')
    await removing
    expect((await run('cat inputs/a inputs/deep/b', [inputs()])).output).toBe('ab')
  })

  it('stay for the eight owners that used them last, and go with their owner', async () => {
    for (let index = 0; index < 10; index += 1) await run('true', [inputs()], `owner ${index}`)
    expect(
      readdirSync(above)
        .filter((name) => name.startsWith('owner'))
        .sort(),
    ).toEqual(Array.from({ length: 8 }, (_, index) => `owner ${index + 2}`).sort())
    await folders.remove('owner 9')
    expect(existsSync(join(above, 'owner 9'))).toBe(false)
  })
})

const here = openMountsWorld()
const { kind, reason } = await here.mounts.findStrategy()
await here[Symbol.asyncDispose]()
if (kind !== 'overlay') console.warn(`SKIPPED: sealed places. ${reason}`)

describe.skipIf(kind !== 'overlay')('a place that programs may only read', () => {
  it.each([true, false])('cannot be written in a mount that seals it (sealed: %s)', async (sealed) => {
    await using world = openMountsWorld()
    const memories = place('memories', { 'style.md': 'Tabs.' }, false)
    const request = { owner: 'branch', overlay: [], places: { owner: 'branch', places: [memories, inputs()], sealed } }
    await using mount = await world.mounts.open(request, never)
    const [memory, input] = mount.places.map((one) => one.folder)
    const output = await world.inMount(
      mount,
      `{ echo new > '${memory}/style.md'; echo x > '${memory}/x'; } 2>&1; echo fine > '${input}/fine'; cat '${memory}/style.md'`,
    )
    const { placeChanges } = await mount.capture()
    if (sealed) {
      expect(output).toMatch(/style\.md: Read-only file system[\s\S]*x: Read-only file system\nTabs\./)
      expect(shownPlaces(placeChanges)).toEqual(['/inputs/fine - fine\n'])
    } else expect(shownPlaces(placeChanges)).toHaveLength(3)
  })
})
