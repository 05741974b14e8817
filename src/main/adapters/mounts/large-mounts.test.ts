import { describe, expect, it } from 'vitest'
import { never } from '#core/ports/branch-mounts.contract.ts'
import type { BranchMount, MountEntry } from '#core/ports/branch-mounts.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { openMountsWorld } from './mounts-world.testkit.ts'

const copying = async () => ({ kind: 'copy', reason: 'asked for' }) as const
const content = 'large content\n'
const hash = '1fae92ee2ca4a32be3a4b1d4fad32eb66b0da9a7e9a5eb1b6e4a8d3df1a5b4e3'

const world = (kind: 'overlay' | 'copy') =>
  openMountsWorld({ mostBytes: 8, ...(kind === 'copy' && { probe: copying }) })

async function changesOf(mount: BranchMount) {
  const { changes } = await mount.capture()
  return changes.map((change) => {
    const { kind, path } = change
    if (kind === 'large') return `${path} = ${change.from}${change.executable ? ' x' : ''}`
    return kind === 'file' ? `${path} written` : `${path} ${kind}`
  })
}

describe.each(['overlay', 'copy'] as const)('a large file in a mount (%s)', (kind) => {
  const cases: readonly (readonly [name: string, script: string, changes: readonly string[]])[] = [
    ['deletes', 'rm big', ['/big absent']],
    ['moves', 'mv big d/moved', ['/big absent', '/d/moved = /big']],
    ['moves with its folder', 'mv d e', ['/d absent', '/e/in = /d/in']],
    ['makes executable', 'chmod +x big', ['/big = /big x']],
    ['touches', 'touch big; cat big > /dev/null', []],
    ['writes the same again', 'cp big t; cp t big; rm t', []],
    ['replaces by small text', 'echo x > big', ['/big written']],
    ['moves and replaces', 'mv big d/moved; echo x > big', ['/big written', '/d/moved = /big']],
    ['swaps', 'mv big t; mv d/in big; mv t d/in', ['/big = /d/in', '/d/in = /big']],
    ['moves with git', 'git init -q && git add big && git mv big moved', ['/big absent', '/moved = /big']],
    ['replaces a folder', 'mv big t; rm -r d; mv t d', ['/big absent', '/d = /big']],
    [
      'moves within a new folder of the same name',
      'mv d t; mkdir d; mv t/in d/x; rm -r t',
      ['/d/in absent', '/d/x = /d/in'],
    ],
    ['moves out of a folder that becomes a file', 'mv d/in t; rm -r d; echo x > d', ['/d written', '/t = /d/in']],
    ['moves into its own name', 'mv big t; mkdir big; mv t big/t', ['/big/t = /big']],
  ]
  it.each(cases)('that a command %s', async (_name, script, wanted) => {
    await using made = world(kind)
    await made.onDisk(`mkdir d; printf '${content}' > big; echo 'another large one' > d/in`)
    const before = await made.fingerprint()
    await using mount = await made.mounts.open({ owner: 'branch', overlay: [] }, never)
    await made.inMount(mount, script)
    expect(await changesOf(mount)).toEqual(wanted)
    expect(await made.fingerprint()).toBe(before)
  })

  it.each([
    ['echo a large new text > new', '/new'],
    ['echo more >> big', '/big'],
    ['cp big copy', '/copy'],
    ['cp d/in d/copy', '/d/copy'],
    ['ln d/in d/hard', '/d/hard'],
    ['mkdir d/e; cp d/in d/e/copy', '/d/e/copy'],
    ['touch d/in; cp d/in d/copy', '/d/copy'],
    ['chmod +x d/in; cp d/in d/copy; rm big', '/d/copy'],
    ['touch d/x; cp d/in copy', '/copy'],
    ['mkdir e; cp d/in e/copy; echo x > d/small', '/e/copy'],
    ['chmod 700 d; cp d/in copy', '/copy'],
  ])('is left out alone, by name, when a command %s', async (script, path) => {
    await using made = world(kind)
    await made.onDisk(`mkdir d; printf '${content}' > big; echo 'another large one' > d/in`)
    await using mount = await made.mounts.open({ owner: 'branch', overlay: [] }, never)
    await made.inMount(mount, `${script}; echo beside > beside`)
    const { changes, notKept } = await mount.capture()
    const tooLarge = notKept?.filter(({ why }) => why !== 'folder_mode')
    expect(tooLarge).toEqual([{ path, size: expect.any(Number), why: 'too_large' }])
    expect(changes.map((change) => change.path)).toContain('/beside')
    expect(changes.map((change) => change.path)).not.toContain(path)
  })

  it('is there under its new name, and a command that writes to it does not reach the project', async () => {
    await using made = world(kind)
    await made.onDisk(`printf '${content}' > big`)
    const [sum = ''] = (await made.onDisk('sha256sum big')).split(' ')
    const before = await made.fingerprint()
    const overlay = moved(sum)
    for (const script of ['cat new/name', 'cat new/name; echo x > new/name', 'mv new/name other; cat other']) {
      await using mount = await made.mounts.open({ owner: 'branch', overlay }, never)
      expect(await made.inMount(mount, `${script}; ! [ -e big ]`)).toBe(content)
      if (script.includes('mv')) expect(await changesOf(mount)).toEqual(['/new/name absent', '/other = /new/name'])
      expect(await made.fingerprint()).toBe(before)
    }
  })

  it('is not shown when the file on disk has changed', async () => {
    await using made = world(kind)
    await made.onDisk('echo something else > big')
    const opening = made.mounts.open({ owner: 'branch', overlay: moved(hash) }, never)
    await expect(opening).rejects.toThrow(
      '/new/name cannot be shown: its 14 bytes were at /big, which has changed on disk.',
    )
    await made.onDisk('rm big; mkdir ../out; printf x > ../out/file; ln -s ../out big')
    const through = made.mounts.open({ owner: 'branch', overlay: moved(hash, '/big/file') }, never)
    await expect(through).rejects.toThrow('/new/name cannot be shown')
  })
})

it('opening a mount stops the reading of a moved file of 100 GB when it is aborted', async () => {
  await using made = world('overlay')
  await made.onDisk('truncate -s 100G big')
  const abort = new AbortController()
  const opening = made.mounts.open({ owner: 'branch', overlay: moved(hash) }, abort.signal)
  setImmediate(() => abort.abort(new Error('stopped')))
  await expect(opening).rejects.toThrow('stopped')
})

function moved(contentHash: string, from = '/big'): readonly MountEntry[] {
  const at = (path: string) => path as VirtualPath
  return [
    { kind: 'absent', path: at('/big') },
    { kind: 'directory', path: at('/new'), opaque: true },
    {
      kind: 'large',
      path: at('/new/name'),
      content: contentHash,
      from: at(from),
      size: content.length,
      executable: false,
    },
  ]
}
