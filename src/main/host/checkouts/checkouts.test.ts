import { describe, expect, it } from 'vitest'
import { openCheckoutWorld, save, textAt } from './checkout-world.testkit.ts'

const commit = 'git add -A; git commit -qm first'
const repository = `printf 'one\\ntwo\\nthree\\n' > a; printf b > b; mkdir d; printf c > d/c; printf 'out/\\n' > .gitignore; mkdir out; printf built > out/made; ${commit}`

describe('a branch that is checked out as a worktree', () => {
  it('has the files of the branch over the commit of the start, and leaves the repository as it is', async () => {
    await using world = await openCheckoutWorld(repository)
    await world.write({ '/a': 'one\nTWO\nthree\n', '/new': 'n', '/b': null })
    const before = world.sh('git rev-parse HEAD; git status --porcelain; git branch; cat .git/index | sha256sum')
    const made = await world.make('work')
    expect(made).toMatchObject({ kind: 'worktree', folder: world.place('work'), leftOut: [], gitBranch: null })
    expect(world.sh('git rev-parse HEAD; git status --porcelain', made.folder)).toBe(
      `${made.commit}\n M a\n D b\n?? new\n`,
    )
    expect(textAt(made.folder, 'out/made')).toBeNull()
    expect(world.sh('git rev-parse HEAD; git status --porcelain; git branch; cat .git/index | sha256sum')).toBe(before)
    expect(world.project.checkouts.list(world.branchId)).toMatchObject([
      { isThere: true, conflicts: [], kind: 'worktree' },
    ])
  })

  it('gives back what was changed there, commits included, joined with what the branch got meanwhile', async () => {
    await using world = await openCheckoutWorld(repository)
    const { folder, checkoutId } = await world.make('work', { gitBranch: 'mine' })
    save(folder, { a: 'one\ntwo\nTHREE\n', 'e/new': 'n', 'd/c': null, 'out/mine': 'x' })
    world.sh('git add -A; git commit -qm mine; chmod +x b', folder)
    await world.write({ '/a': 'ONE\ntwo\nthree\n', '/other': 'o' })
    const taken = await world.takeBack(checkoutId)
    expect(taken).toMatchObject({ joined: ['/a'], conflicts: [], refused: [] })
    expect(await world.text('/a')).toBe('ONE\ntwo\nTHREE\n')
    expect(await world.paths()).toEqual(expect.arrayContaining(['/e/new', '/other']))
    expect(await world.paths()).not.toContain('/d/c')
    expect(await world.paths()).not.toContain('/out/mine')
    expect(await world.takeBack(checkoutId), 'nothing is taken twice').toMatchObject({ changed: [] })
    const last = world.project.services.log.entries().at(-1)
    expect(last).toMatchObject({ type: 'tree.changed', callId: null })
  })

  it('takes nothing while something is in conflict, and what was chosen then', async () => {
    await using world = await openCheckoutWorld(repository)
    const { folder, checkoutId } = await world.make('work')
    save(folder, { a: 'mine\n', b: 'mine', new: 'n' })
    await world.write({ '/a': 'theirs\n', '/b': 'theirs' })
    expect(await world.takeBack(checkoutId)).toMatchObject({ changed: [], conflicts: ['/a', '/b'] })
    expect(await world.text('/new')).toBeNull()
    const choices = [
      { path: '/a' as never, side: 'folder' as const },
      { path: '/b' as never, side: 'branch' as const },
    ]
    expect(await world.takeBack(checkoutId, choices)).toMatchObject({ conflicts: [] })
    expect([await world.text('/a'), await world.text('/b'), await world.text('/new')]).toEqual([
      'mine\n',
      'theirs',
      'n',
    ])
    expect(await world.takeBack(checkoutId)).toMatchObject({ changed: [], conflicts: [] })
  })

  it('does not take back what only changed in the person’s own folder', async () => {
    await using world = await openCheckoutWorld(repository)
    const { folder, checkoutId } = await world.make('work')
    save(world.folder, { a: 'later\n' })
    save(folder, { b: 'mine' })
    expect(await world.takeBack(checkoutId)).toMatchObject({ changed: ['/b'], conflicts: [] })
    expect(await world.text('/a')).toBe('later\n')
    save(folder, { a: 'both\n' })
    expect(await world.takeBack(checkoutId)).toMatchObject({ conflicts: ['/a'] })
  })

  it('goes when nothing is lost with it', async () => {
    await using world = await openCheckoutWorld(repository)
    const { folder, checkoutId } = await world.make('work')
    world.sh('printf mine > b; git commit -qam mine; mkdir out; printf x > out/x', folder)
    await expect(world.close(checkoutId)).rejects.toThrow(/\/out\/x is in no branch.*1 commit is on no branch/)
    expect(await world.text('/b'), 'what can be taken is taken').toBe('mine')
    world.sh('rm -r out; git branch -q kept', folder)
    await world.close(checkoutId)
    expect(textAt(world.above, 'work')).toBeNull()
    expect(world.sh('git worktree list').trim().split('\n')).toHaveLength(1)
    expect(world.project.checkouts.list(world.branchId)).toEqual([])
    await expect(world.takeBack(checkoutId)).rejects.toThrow('has ended')
  })
})
