import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { repeats, testSize, timeLimit } from '#core/ports/test-size.testkit.ts'
import { at } from '#overlay/testkit'
import { type BadInput, openHostileProject, put } from './hostile-project.testkit.ts'

/** Folders that change while they are open, that we may not read, and that are huge. */
const write = (file_path: string, content: string) => ['write_file', { file_path, content }] as const
const read = (file_path: string) => ['read_file', { file_path }] as const

it('a file that grows or shrinks during a read is read as far as it exists', async () => {
  const size = 20_000_000
  await using project = await openHostileProject((root) => put(root, '/log', Buffer.alloc(size, 'x')))
  const growing = project.view().read(at('/log'))
  appendFileSync(join(project.root, 'log'), 'more')
  expect(await growing).toHaveLength(size)
  const shrinking = project.view().read(at('/log'))
  truncateSync(join(project.root, 'log'), 10)
  expect((await shrinking).length).toBeLessThanOrEqual(size + 4)
  await project.ask(...read('/log'), true, `1\t${'x'.repeat(10)}`)
})

it('files and folders without permission are counted and named, and the rest is visible', async () => {
  await using project = await openHostileProject((root) => {
    put(root, '/closed/x', 'needle')
    put(root, '/listed/x', 'needle')
    put(root, '/file', 'needle')
    put(root, '/open', 'needle')
    chmodSync(join(root, 'closed'), 0o000)
    chmodSync(join(root, 'listed'), 0o444)
    chmodSync(join(root, 'file'), 0o000)
  })
  chmodSync(dirname(project.root), 0o755)
  await asNobody(async () => {
    await project.ask(...read('/file'), false, '/file could not be read: EACCES.')
    await project.ask(...write('/file', 'x'), false, '/file could not be read: EACCES.')
    await project.ask(...read('/closed/x'), false, '/closed could not be read: EACCES.')
    await project.ask('ls', { path: '/closed' }, false, '/closed could not be read: EACCES.')
    await project.ask('ls', { path: '/listed' }, true, '/listed is empty.\n[1 entry could not be read.]')
    await project.ask('delete', { path: '/closed' }, false, '/closed could not be read: EACCES.')
    await project.ask(...read('/open'), true, '1\tneedle')
  })
})

it('a file that became a folder, and a folder that became a file, keep the changes of the branch', async () => {
  await using project = await openHostileProject((root) => {
    put(root, '/f', 'file')
    put(root, '/d/x', 'below')
  })
  await project.ask(...write('/f', 'changed'), true, /ok: Replaced \/f/)
  await project.ask(...write('/d/x', 'changed'), true, /ok: Replaced \/d\/x/)
  const written = project.tools.tree
  for (const path of ['f', 'd']) rmSync(join(project.root, path), { recursive: true })
  put(project.root, '/f/new', 'a folder now')
  put(project.root, '/d', 'a file now')
  await project.ask(...read('/f'), true, /ok: 1\tchanged/)
  await project.ask('ls', { path: '/f' }, false, '/f is not a folder. Use read_file for files.')
  await project.ask(...read('/f/new'), false, /There is no file/)
  await project.ask(...read('/d'), true, '1\ta file now')
  await project.ask(...read('/d/x'), false, /There is no file/)
  await project.ask(...write('/d/y', ''), false, '/d is a file, so nothing can be below it.')
  expect(project.tools.tree).toBe(written)
  for (const path of ['f', 'd']) rmSync(join(project.root, path), { recursive: true })
  put(project.root, '/d/z', '')
  await project.ask(...read('/d/x'), true, /ok: 1\tchanged/)
})

it('a root that is renamed or replaced while open is named as such, loses nothing, and comes back', async () => {
  await using project = await openHostileProject((root) => put(root, '/d/x', 'base'))
  await project.ask(...write('/d/new', 'mine'), true, 'Created /d/new (4 bytes).')
  const written = project.tools.tree
  renameSync(project.root, `${project.root}-renamed`)
  const gone = /was moved away or replaced while it was open, so it is not used any more. Put it back/
  await project.ask(...read('/d/x'), false, gone)
  await project.ask('ls', {}, false, gone)
  await project.ask('grep', { pattern: '.' }, false, gone)
  put(project.root, '/d/x', 'of another project')
  await project.ask(...read('/d/x'), false, gone)
  await project.ask('ls', { path: '/d' }, false, gone)
  await project.ask('glob', { pattern: '**' }, false, gone)
  await project.ask(...write('/d/x', 'changed'), false, gone)
  rmSync(project.root, { recursive: true })
  renameSync(`${project.root}-renamed`, project.root)
  expect(project.tools.tree).toBe(written)
  await project.ask(...read('/d/x'), true, '1\tbase')
  await project.ask(...read('/d/new'), true, '1\tmine')
})

it('a data folder inside the project is not part of it', async () => {
  const make: BadInput['make'] = (root) => put(root, '/in/.data/key', 'canary')
  await using project = await openHostileProject(make, at('/in/.data'))
  await project.ask(...read('/in/.data/key'), false, 'There is no file /in/.data/key. Use ls or glob to find it.')
  await project.ask('ls', { path: '/in' }, true, '/in is empty.')
  await project.ask('ls', { path: '/in/.data' }, false, 'There is no folder /in/.data.')
  await project.ask('glob', { pattern: '**', include_ignored: true }, true, '/kept')
  await project.ask('grep', { pattern: 'canary|kept' }, true, '/kept')
  await project.ask('move', { from: '/in', to: '/out' }, true, 'Moved /in to /out.')
  await project.ask('glob', { pattern: '**', include_ignored: true }, true, '/kept')
})

it('a line of many megabytes is paged and searched within bounds', { timeout: timeLimit(120_000) }, async () => {
  const size = testSize(20_000_000, 200_000_000)
  await using project = await openHostileProject((root) => {
    writeFileSync(join(root, 'line'), Buffer.alloc(size, 'x'))
    appendFileSync(join(root, 'line'), 'needle')
  })
  const rest = size + 6 - 2_000
  await project.ask(
    ...read('/line'),
    true,
    `1\t${'x'.repeat(2_000)}… [${rest} more bytes in this line; byte_offset=2000 reads on]`,
  )
  await project.ask(
    'read_file',
    { file_path: '/line', byte_offset: size },
    true,
    `needle\n[Bytes ${size}–${size + 6} of ${size + 6}.]`,
  )
  await project.ask('edit_file', { file_path: '/line', old_string: 'none', new_string: '' }, false, /error: /)
  await project.ask('grep', { pattern: 'kept' }, true, '/kept')
  const found = await project.tools.call('grep', { pattern: 'needle', output_mode: 'content' })
  expect(found.text.length).toBeLessThan(2_000)
  expect(found.text).toMatch(/^\/line:1:x{500}|The search was stopped at its limit/)
})

it(`${repeats(100_000, 1_000_000)} files in one folder`, { timeout: timeLimit(600_000) }, async () => {
  const count = repeats(100_000, 1_000_000)
  await using project = await openHostileProject((root) => {
    mkdirSync(join(root, 'many'))
    for (let index = 0; index < count; index += 1) {
      const location = join(root, 'many', `f${index}`)
      if (index % 50_000 === 0) writeFileSync(location, '')
      else linkSync(join(root, 'many', `f${index - (index % 50_000)}`), location)
    }
  })
  await project.ask(
    'ls',
    { path: '/many' },
    true,
    new RegExp(`\\[${count - 1_000} more entries of ${count}\\. Use glob`),
  )
  await project.ask('glob', { pattern: '**/f7777' }, true, '/many/f7777')
  await project.ask(...write('/many/new', 'needle'), true, 'Created /many/new (6 bytes).')
  // A full machine may reach the limit of the search before its end, and then it says so.
  const found = /: ok: \/many\/new(?:\n\[The search was stopped at its limit[^\n]*)?$/
  await project.ask('grep', { pattern: 'needle' }, true, found)
  await project.ask(
    'move',
    { from: '/many', to: '/moved' },
    false,
    /error: \/many holds \d+ files and folders, too many/,
  )
  await project.ask('delete', { path: '/many' }, true, `Deleted the folder /many: ${count + 1} files and 1 folder.`)
  await project.ask('ls', { path: '/many' }, false, 'There is no folder /many.')
})

/** A superuser may read everything, so the work runs as another user. */
async function asNobody(work: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0
  if (isRoot) process.seteuid?.(65_534)
  try {
    await work()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}
