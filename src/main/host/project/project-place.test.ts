import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { locateProject } from './project-place.ts'

it('a folder that is only a part of a repository says so, unless git ignores it there', async () => {
  const top = join(realpathSync(mkdtempSync(join(tmpdir(), 'coppice-within-'))), 'top')
  for (const folder of ['a/b', 'ignored', 'own']) mkdirSync(join(top, folder), { recursive: true })
  const within = async (folder: string) =>
    (await locateProject(join(top, '../data'), join(top, folder), 'folder', () => false)).info.within
  expect(await within('a/b')).toBeUndefined()
  mkdirSync(join(top, '.git'))
  expect(await within('a/b'), 'no repository of git').toBeUndefined()
  for (const place of [top, join(top, 'own')]) execFileSync('git', ['init', '-q', '--template=', place])
  writeFileSync(join(top, '.gitignore'), 'ignored/\n')
  expect(await within('a/b')).toEqual({ top, folder: '/a/b' })
  for (const folder of ['', 'ignored', 'own']) expect([folder, await within(folder)]).toEqual([folder, undefined])
})
