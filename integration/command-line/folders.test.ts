import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openRepository, runs, sh } from './repository.testkit.ts'

it('a run reads the folders of --ref, refuses ones that cannot be used, and names those that the project wants', async () => {
  const read = runs('cat "$COPPICE_PLACE_REFS_LIB/word"; cat "$COPPICE_PLACE_REFS_OTHER/word" || true')
  await using world = await openRepository(
    read,
    'mkdir ../lib ../other; echo one > ../lib/word; echo two > ../other/word',
  )
  const at = (name: string) => join(world.place, name)

  const refused = await world.run('top', '--ref', at('none'))
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--ref: "/refs/none/" names')])
  const twice = await world.run('top', '--ref', at('lib'), '--ref', `${at('other')}:lib`)
  expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('"lib" is the name of two folders')])

  mkdirSync(at('top/.coppice'))
  const wanted = { folders: { proposed: { other: { path: '../other' } } } }
  writeFileSync(at('top/.coppice/settings.json'), JSON.stringify(wanted))
  const one = await world.run('top', '--ref', at('lib'), '--trust')
  expect(one.code, one.stderr).toBe(0)
  expect(one.stderr).toContain(
    `This project names the folder ${at('other')}, which agents may not read. --ref ${at('other')}:other allows it.`,
  )
  expect(one.stdout).toContain('one')
  expect(one.stdout).not.toContain('two')

  const both = await world.run('top', '--ref', at('lib'), '--ref', `${at('other')}:other`)
  expect(both.stdout).toContain('one\ntwo')
  expect(both.stderr).not.toContain('This project names')
  expect(sh('git status --porcelain', at('top'))).toBe('?? .coppice/\n')
})
