import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DiskApplyError } from '#core/ports/disk-apply.ts'
import { file, hashing, large, putFolder, type Shown, snapshotOf, step } from './apply-world.testkit.ts'
import { createDiskApply } from './disk-apply.ts'
import { recoverApply } from './restore-apply.ts'

let above: string
let rootFolder: string
let recordFolder: string
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'coppice-large-'))
  rootFolder = join(above, 'root')
  recordFolder = join(above, 'records')
  mkdirSync(rootFolder)
})
afterEach(() => rmSync(above, { recursive: true, force: true }))

const at = (path: string) => join(rootFolder, path)
const create = () => createDiskApply({ rootFolder, recordFolder, hashing })
const move = [step('/a', large('one', '/a'), null), step('/b', null, large('one', '/a'))]
const records = () => readdirSync(recordFolder)

/** The disk after a move of `/a` to `/b` that was killed when both paths had their new content. */
function plantMove(id = 'one'): void {
  const [{ blob, size }] = [large('one', '/a')]
  const before = { kind: 'file', blob, offset: 0, size, mode: 0o644, large: true }
  const record = {
    ...{ version: 1, root: rootFolder, made: [], emptied: [], temporary: [] },
    steps: [
      { path: '/a', before, after: null },
      { path: '/b', before: null, after: large('one', '/a') },
      { path: '/z', before: null, after: file('x') },
    ],
    large: [{ blob, size, from: '/a', temporary: '/.coppice-t.tmp', to: '/b' }],
  }
  mkdirSync(join(recordFolder, id), { recursive: true })
  writeFileSync(join(recordFolder, id, 'record.json'), JSON.stringify(record))
  writeFileSync(join(recordFolder, id, 'originals.bin'), '')
}

/** What a person does to the moved file, and what the folder holds afterwards. Nothing that the person wrote is removed. */
const meddling: readonly (readonly [string, () => void, Shown, readonly string[]])[] = [
  ['edited', () => writeFileSync(at('b'), 'one two'), { '/b': '644 one two' }, ['/b', '/a']],
  ['deleted', () => rmSync(at('b')), {}, ['/a']],
  [
    'replaced by a folder',
    () => {
      rmSync(at('b'))
      mkdirSync(at('b'))
    },
    { '/b': 'folder' },
    ['/b', '/a'],
  ],
  ['moved away', () => renameSync(at('b'), at('c')), { '/c': '644 one' }, ['/a']],
]

describe.each(meddling)(
  'a moved large file that a person %s before the move is taken back',
  (_, meddle, left, named) => {
    it('is named by the apply that failed, and blocks no later one', async () => {
      putFolder(rootFolder, { '/a': '644 one' })
      let wasThere = false
      const onProgress = () => {
        if (wasThere || !readdirSync(rootFolder).includes('b')) return
        wasThere = true
        meddle()
        throw new Error('It stops here')
      }
      const steps = [...move, step('/z', null, file('x'))]
      const applying = create().apply(steps, () => Buffer.from('x'), { onProgress })
      await expect(applying).rejects.toMatchObject({ code: 'failed', left: named })
      expect([snapshotOf(rootFolder), records()]).toEqual([left, []])
      await create().apply([step('/new', null, file('new'))], () => Buffer.from('new'))
      expect(snapshotOf(rootFolder)).toEqual({ ...left, '/new': '644 new' })
    })

    it('is named after a restart, and blocks no later apply', async () => {
      putFolder(rootFolder, { '/b': '644 one' })
      plantMove()
      meddle()
      const recovered = await recoverApply({ rootFolder, recordFolder, hashing })
      expect(recovered).toMatchObject([{ outcome: 'rolled_back', left: named }])
      expect([snapshotOf(rootFolder), records()]).toEqual([left, []])
      await create().apply([step('/new', null, file('new'))], () => Buffer.from('new'))
    })
  },
)

it('a folder that became a link takes no file back, and its path is named', async () => {
  putFolder(rootFolder, { '/d/a': '644 one', '/d/s': '644 small' })
  mkdirSync(join(above, 'out'))
  const steps = [
    step('/d/a', large('one', '/d/a'), null),
    step('/b', null, large('one', '/d/a')),
    step('/d/s', file('small'), null),
  ]
  let stopped = false
  const onProgress = () => {
    if (stopped || !readdirSync(rootFolder).includes('b')) return
    stopped = true
    rmSync(at('d'), { recursive: true })
    symlinkSync(join(above, 'out'), at('d'))
    throw new Error('It stops here')
  }
  const failure = await create()
    .apply(steps, () => Buffer.from(''), { onProgress })
    .catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(DiskApplyError)
  expect((failure as DiskApplyError).left).toEqual(expect.arrayContaining(['/d/a', '/d/s']))
  expect([records(), readdirSync(join(above, 'out'))]).toEqual([[], []])
  expect(readdirSync(rootFolder).filter((name) => name.startsWith('.coppice-'))).toEqual([])
  const texts = [rootFolder, join(above, 'kept-files')].flatMap((place) => Object.values(safeSnapshot(place)))
  expect(texts.filter((text) => text.endsWith(' one'))).toHaveLength(1)
})

function safeSnapshot(place: string): Shown {
  try {
    return snapshotOf(place)
  } catch {
    return {}
  }
}
