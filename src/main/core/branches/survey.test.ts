import { expect, it } from 'vitest'
import { at, bytes, openBranches } from '#overlay/testkit'
import type { Branch } from '#shared/model/branch.ts'
import { surveyBranches } from './survey.ts'

const lines = (...changed: string[]) => `${['1', '2', '3', '4', '5'].map((line, i) => changed[i] || line).join('\n')}\n`

it('counts what merges by itself, and names the files and branches that stand in the way, before anything is merged', async () => {
  const world = openBranches({ '/bill': lines(), '/tax': lines() })
  const [one, two, three] = ['one', 'two', 'three'].map((name) => world.fork(name)) as [Branch, Branch, Branch]
  const survey = async () => {
    const found = await surveyBranches(
      { ...world.sourcesOf(one), sidesOf: world.sourcesOf },
      [one, two, three],
      () => undefined,
    )
    return found.map(({ branchId, ready, conflicts, rivals }) => [
      branchId,
      ready,
      conflicts,
      rivals.map((rival) => `${rival.branchId} ${rival.path}`),
    ])
  }
  expect(await survey()).toEqual(['one', 'two', 'three'].map((id) => [id, 0, [], []]))
  await world.edit('one', (draft) => draft.write(at('/bill'), bytes(lines('one'))))
  await world.edit('two', (draft) => draft.write(at('/bill'), bytes(lines('two'))))
  await world.edit('three', (draft) => draft.write(at('/bill'), bytes(lines('', '', '', '', 'three'))))
  expect(await survey()).toEqual([
    ['one', 1, [], ['two /bill']],
    ['two', 1, [], ['one /bill']],
    ['three', 1, [], []],
  ])
  await world.merge(one)
  expect(await survey()).toEqual([
    ['one', 0, [], []],
    ['two', 0, ['/bill'], []],
    ['three', 1, [], []],
  ])
  await world.merge(two, { force: true })
  expect((await survey())[1]).toEqual(['two', 0, [], []])
})
