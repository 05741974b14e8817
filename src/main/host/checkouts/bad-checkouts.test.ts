import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openCheckoutWorld, save } from './checkout-world.testkit.ts'

const commit = 'git add -A; git commit -qm first'
const repository = `printf a > a; printf b > b; printf 'out/\\n' > .gitignore; ${commit}`

it('refuses a folder that is of no use, in words, and leaves everything as it was', async () => {
  await using world = await openCheckoutWorld(repository)
  save(world.above, { 'full/x': 'x', file: 'f' })
  const everything = () => [
    readdirSync(world.above).sort(),
    world.sh('git worktree list; git branch; git status --porcelain'),
  ]
  const before = everything()
  const cases: readonly (readonly [string, Parameters<typeof world.make>[1], RegExp])[] = [
    ['full', {}, /full is not empty\. Choose a folder/],
    ['file', {}, /file exists and is no folder/],
    ['missing/work', {}, /There is no folder .*missing\. Make it first/],
    ['folder/work', {}, /is inside the project, so its files would count as files of the project/],
    ['work', { gitBranch: 'main' }, /Git made no worktree: .*main/],
    ['work', { gitBranch: '-x..' }, /Git made no worktree: /],
    ['work', { folder: 'relative' }, /relative is no absolute path/],
    ['work', { branchId: 'unknown' as never }, /This branch does not exist/],
  ]
  for (const [name, options, words] of cases) await expect(world.make(name, options), name).rejects.toThrow(words)
  expect(everything()).toEqual(before)
  expect(world.project.checkouts.list(world.branchId)).toEqual([])
})

it('takes an empty folder, also behind a link and an ignored one inside the project', async () => {
  await using world = await openCheckoutWorld(repository)
  mkdirSync(world.place('real'))
  symlinkSync(world.place('real'), world.place('link'))
  mkdirSync(world.place('empty'))
  for (const name of ['empty', 'link/work', 'folder/out/work']) {
    if (name.includes('out')) mkdirSync(world.place('folder/out'))
    const { folder, checkoutId } = await world.make(name)
    save(folder, { a: name })
    expect(await world.takeBack(checkoutId)).toMatchObject({ changed: ['/a'] })
    expect(await world.text('/a')).toBe(name)
  }
})

it('checks out the files alone where there is no repository, or no commit', async () => {
  for (const script of ['printf a > a', 'printf a > a; rm -rf .git']) {
    await using world = await openCheckoutWorld(script)
    await world.write({ '/b': 'b' })
    const { kind, folder, checkoutId } = await world.make('work')
    expect([kind, readdirSync(folder).sort()]).toEqual(['copy', ['a', 'b']])
    await expect(world.make('other', { gitBranch: 'x' })).rejects.toThrow('no branch of git can be checked out')
    save(folder, { a: 'mine', b: null })
    writeFileSync(`${folder}/.gitignore`, 'built/\n')
    save(folder, { 'built/x': 'x' })
    await world.close(checkoutId)
    expect([await world.text('/a'), await world.text('/b')]).toEqual(['mine', null])
    expect(readdirSync(folder), 'what was never part of the branch stays').toEqual(['built'])
  }
})

it('is of the whole repository, where the project is a part of it', async () => {
  await using world = await openCheckoutWorld(`mkdir app; printf a > app/a; printf t > top; ${commit}`, 'app')
  await world.write({ '/b': 'b' })
  const { folder, checkoutId } = await world.make('work')
  expect(world.sh('git status --porcelain', folder)).toBe('?? app/b\n')
  save(folder, { 'app/a': 'mine', top: 'not of the project' })
  expect(await world.takeBack(checkoutId)).toMatchObject({ changed: ['/a'], refused: [] })
  const opened = await world.open()
  expect(readdirSync(opened.folder).sort()).toEqual(['a', 'b'])
})

it('names what a branch cannot hold, and loses nothing of a branch or a folder that is gone', async () => {
  await using world = await openCheckoutWorld(repository)
  const { folder, checkoutId } = await world.make('work')
  world.sh('mkfifo pipe; printf x > "$(printf "bad\\377name")"', folder)
  const { refused } = await world.takeBack(checkoutId)
  expect(refused.map(({ why }) => why)).toEqual([
    'It is named with bytes that are not UTF-8.',
    'It is no file, folder or link.',
  ])
  await expect(world.close(checkoutId)).rejects.toThrow('/pipe could not be taken back. It is no file, folder or link.')
  rmSync(folder, { recursive: true })
  await expect(world.takeBack(checkoutId)).rejects.toThrow(/work is gone, so nothing can be taken from it/)
  expect(world.project.checkouts.list(world.branchId)).toMatchObject([{ isThere: false }])
  await world.close(checkoutId)
  expect(world.project.checkouts.list(world.branchId)).toEqual([])
})

it('tries again when the branch moves while something is taken back', async () => {
  await using world = await openCheckoutWorld(repository)
  const { folder, checkoutId } = await world.make('work')
  save(folder, { a: 'mine' })
  const [taken] = await Promise.all([world.takeBack(checkoutId), world.write({ '/b': 'theirs' })])
  expect(taken).toMatchObject({ changed: ['/a'] })
  expect([await world.text('/a'), await world.text('/b')]).toEqual(['mine', 'theirs'])
})

it('shows nothing as deleted that the person’s own sparse checkout leaves out, and no submodule as changed', async () => {
  await using world = await openCheckoutWorld(
    `mkdir in out; echo i > in/f; echo o > out/f; git init -q ../inner; echo x > ../inner/x; git -C ../inner add x; git -C ../inner commit -qm i; git submodule -q add ../inner sub; ${commit}; git sparse-checkout set --no-cone /in/ /sub`,
  )
  const { folder, checkoutId } = await world.make('work')
  expect([world.sh('git status --porcelain', folder), readdirSync(folder).includes('out')]).toEqual(['', false])
  save(folder, { 'in/f': 'mine' })
  expect(await world.takeBack(checkoutId)).toMatchObject({ changed: ['/in/f'], refused: [] })
})

it('says what to do when the commit of the start is gone', async () => {
  await using world = await openCheckoutWorld(repository)
  world.sh('git commit -q --amend -m other; git reflog expire --expire=now --all; git gc -q --prune=now')
  await expect(world.make('work')).rejects.toThrow(/The commit that the work began with .* Name a branch of git/)
  expect(readdirSync(world.above)).not.toContain('work')
  const made = await world.make('work', { gitBranch: 'new' }).catch((error: Error) => error.message)
  expect(made).toMatch(/The commit that the work began with/)
  world.sh('git branch kept')
  expect(await world.make('work', { gitBranch: 'kept' })).toMatchObject({ kind: 'worktree', gitBranch: 'kept' })
})

it.skipIf(process.getuid?.() === 0)(
  'leaves out and names what may not be read, and says where it may not write',
  async () => {
    await using world = await openCheckoutWorld('printf a > a; printf c > closed; chmod 000 closed')
    const { leftOut, folder } = await world.make('work')
    expect(leftOut).toMatchObject([{ path: '/closed' }])
    expect(readdirSync(folder)).toEqual(['a'])
    mkdirSync(world.place('shut'), { mode: 0o500 })
    await expect(world.make('shut/work')).rejects.toThrow(/shut\/work cannot be written: .*permission denied/)
  },
)
