import { describe, expect, it } from 'vitest'
import { isGitName } from '../model/git-names.ts'
import { emptyTree } from './tree.ts'
import { at, bytes, openWorld } from './tree-fixtures.testkit.ts'

const lookAlikes = [
  '.git',
  '.GIT',
  '.Git',
  'git~1',
  'GIT~2',
  '.git.',
  '.git ',
  '.git. .',
  '.g\u200cit',
  '\ufeff.git',
  '.git::$INDEX_ALLOCATION',
  '.git\\hooks',
  '\uff0egit',
  '.\uff47\uff49\uff54',
]

describe('git’s own folder', () => {
  it.each(lookAlikes)('is recognised as %j', (name) => expect(isGitName(name)).toBe(true))
  it.each(['git', '.gitignore', '.github', 'a.git', '.git~', 'git~x', '.gi'])('is not %j', (name) =>
    expect(isGitName(name)).toBe(false),
  )

  it('is never written: by no spelling, through no link, and not with a folder around it', async () => {
    const world = openWorld({
      '/.git/config': 'c',
      '/vendor/lib/.git/HEAD': 'h',
      '/link': { kind: 'symlink', target: '.git' },
    })
    const draft = world.draft(emptyTree)
    const refused = expect.objectContaining({ code: 'refused' })
    for (const name of lookAlikes) {
      await expect(draft.write(at(`/${name}/hooks/post-checkout`), bytes(''))).rejects.toEqual(refused)
      await expect(draft.write(at(`/sub/${name}`), bytes(''))).rejects.toEqual(refused)
      await expect(draft.makeDirectory(at(`/${name}`))).rejects.toEqual(refused)
    }
    await expect(draft.write(at('/link/config'), bytes(''))).rejects.toEqual(refused)
    await expect(draft.delete(at('/.git'))).rejects.toEqual(refused)
    await expect(draft.delete(at('/vendor'))).rejects.toEqual(refused)
    await expect(draft.move(at('/vendor'), at('/other'))).rejects.toEqual(refused)
    await expect(draft.move(at('/link'), at('/.GIT'))).rejects.toEqual(refused)
    expect(draft.patch()).toEqual([])
  })
})

describe('a path that goes through a file', () => {
  it('is named as such, also if a link leads out of the file again', async () => {
    const world = openWorld({
      '/c': 'a file',
      '/b': { kind: 'symlink', target: 'c/missing' },
      '/l': { kind: 'symlink', target: 'b/../c' },
    })
    const draft = world.draft(emptyTree)
    const refused = expect.objectContaining({ code: 'not_a_directory' })
    await expect(draft.move(at('/l/a'), at('/a'))).rejects.toEqual(refused)
  })

  it('is only missing if a link leads out of the file to where nothing is', async () => {
    const world = openWorld({ '/b': 'a file', '/a': { kind: 'symlink', target: 'b/../c' } })
    const missing = expect.objectContaining({ code: 'not_found' })
    await expect(world.draft(emptyTree).delete(at('/a/x'))).rejects.toEqual(missing)
  })
})
