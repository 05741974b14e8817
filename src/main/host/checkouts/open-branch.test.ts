import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { openTestHost } from '../testing/test-host.testkit.ts'
import { openCheckoutWorld, save, textAt } from './checkout-world.testkit.ts'

const commit = 'git add -A; git commit -qm first'
const repository = `printf 'one\\ntwo\\nthree\\nfour\\nfive\\n' > a; mkdir d; printf c > d/c; printf 'out/\\n' > .gitignore; ${commit}`

it('a folder for an editor follows its branch, and its branch follows it', async () => {
  await using world = await openCheckoutWorld(repository)
  await world.write({ '/new': 'n' })
  const { folder, checkoutId } = await world.open()
  expect(world.sh('git status --porcelain; git log --format=%s', folder)).toBe('?? new\nfirst\n')
  save(folder, { a: 'ONE\ntwo\nthree\nfour\nfive\n', 'out/x': 'x' })
  await expect.poll(() => world.text('/a')).toBe('ONE\ntwo\nthree\nfour\nfive\n')
  await world.write({ '/a': 'ONE\ntwo\nthree\nfour\nFIVE\n', '/d/c': null, '/e/f': 'deep' })
  await expect.poll(() => textAt(folder, 'a')).toBe('ONE\ntwo\nthree\nfour\nFIVE\n')
  await expect.poll(() => [textAt(folder, 'd'), textAt(folder, 'e/f')]).toEqual([null, 'deep'])
  save(folder, { 'made/in/editor': 'm', 'e/f': null })
  await expect.poll(() => world.text('/made/in/editor')).toBe('m')
  await expect.poll(() => world.text('/e/f')).toBeNull()
  expect(await world.paths()).not.toContain('/out/x')
  save(folder, { a: 'last' })
  await world.close(checkoutId)
  expect(await world.text('/a'), 'the last save counts').toBe('last')
  expect(readdirSync(join(world.above, 'data/projects', world.project.info().id, 'checkouts'))).toEqual([])
})

it('keeps both versions of a file that both changed at the same place, until somebody decides', async () => {
  await using world = await openCheckoutWorld(repository)
  const { folder, checkoutId } = await world.open()
  await world.write({ '/a': 'theirs\n' })
  save(folder, { a: 'mine\n' })
  await expect.poll(() => world.project.checkouts.list(world.branchId)[0]?.conflicts).toEqual(['/a'])
  expect([await world.text('/a'), textAt(folder, 'a')]).toEqual(['theirs\n', 'mine\n'])
  await expect(world.close(checkoutId)).rejects.toThrow('/a was changed in the folder and in the branch')
  await world.takeBack(checkoutId, [{ path: '/a' as never, side: 'branch' }])
  await expect.poll(() => textAt(folder, 'a')).toBe('theirs\n')
  await world.close(checkoutId)
})

it('is found again at the next start, with what was saved meanwhile', async () => {
  const world = await openCheckoutWorld(repository)
  const { folder } = await world.open()
  // Nobody has the project open now, and the folder is still there.
  await world.host[Symbol.asyncDispose]()
  save(folder, { a: 'meanwhile' })
  await using host = await openTestHost(join(world.above, 'data'), undefined, {}, undefined, 'web')
  const project = await host.projects.open(world.folder)
  expect(project.checkouts.list(world.branchId)).toMatchObject([{ folder, isThere: true }])
  const again = await project.checkouts.open(world.branchId, new AbortController().signal)
  expect(again.folder).toBe(folder)
  const change = project.services.log.entries().findLast(({ type }) => type === 'tree.changed')
  expect(JSON.stringify(change)).toContain('/a')
  save(folder, { a: 'at the end' })
  await host[Symbol.asyncDispose]()
  expect(textAt(folder, 'a'), 'the end of the app closes it').toBeNull()
  await using last = await openTestHost(join(world.above, 'data'))
  const found = await last.projects.open(world.folder)
  expect(JSON.stringify(found.services.log.entries().at(-2))).toContain('/a')
})

it('takes nothing for a deletion when its folder is removed as a whole', async () => {
  await using world = await openCheckoutWorld(repository)
  const { folder, checkoutId } = await world.open()
  rmSync(folder, { recursive: true })
  await world.settle()
  expect([await world.text('/a'), await world.text('/d/c')]).toEqual(['one\ntwo\nthree\nfour\nfive\n', 'c'])
  await world.close(checkoutId)
  expect(world.project.checkouts.list(world.branchId)).toEqual([])
})

it('goes on when the branch comes back that somebody discarded', async () => {
  await using world = await openCheckoutWorld(repository)
  const subagent = world.fork()
  const { folder, checkoutId } = await world.open(subagent)
  world.discard(subagent)
  save(folder, { a: 'meanwhile' })
  await world.settle()
  await expect(world.open(subagent)).rejects.toThrow('The branch was discarded')
  world.restore(subagent)
  await world.settle()
  expect(await world.text('/a', subagent)).toBe('meanwhile')
  world.discard(subagent)
  await expect(world.close(checkoutId, false, subagent)).rejects.toThrow('The branch was discarded')
  await world.close(checkoutId, true, subagent)
  expect(textAt(folder, 'a')).toBeNull()
})

it('takes no files for changes that editors keep for themselves', async () => {
  await using world = await openCheckoutWorld(repository)
  const { folder } = await world.open()
  const own = ['.a.swp', '4913', '#a#', 'a~', '.#a', '.idea/workspace.xml', '.DS_Store', 'd/.c.un~', '.a.kate-swp']
  save(folder, Object.fromEntries([...own, 'kept.swp.md'].map((path) => [path, 'x'])))
  await world.settle()
  expect((await world.paths()).filter((path) => !['/a', '/d', '/d/c', '/.gitignore'].includes(path))).toEqual([
    '/kept.swp.md',
  ])
})

it('loses nothing when a crash came before it wrote down what both had in common', async () => {
  const world = await openCheckoutWorld(repository)
  const { folder, checkoutId } = await world.open()
  const known = join(dirname(folder), 'known')
  const atStart = readFileSync(known)
  save(folder, { a: 'mine', made: 'mine' })
  await world.settle()
  await world.write({ '/d/c': 'agent', '/new': 'agent' })
  await world.settle()
  await world.host[Symbol.asyncDispose]()
  for (const left of [atStart, atStart.subarray(0, atStart.length / 2), Buffer.of()]) {
    writeFileSync(known, left)
    await using host = await openTestHost(join(world.above, 'data'))
    const project = await host.projects.open(world.folder)
    const before = project.services.log.entries().length
    await project.checkouts.settle()
    expect(project.checkouts.list(world.branchId)).toMatchObject([{ id: checkoutId, conflicts: [] }])
    expect(project.services.log.entries(), 'nothing is taken for a change').toHaveLength(before)
    expect(['a', 'made', 'd/c', 'new'].map((path) => textAt(folder, path))).toEqual(['mine', 'mine', 'agent', 'agent'])
  }
})
