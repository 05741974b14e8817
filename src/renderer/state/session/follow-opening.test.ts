import { expect, it } from 'vitest'
import type { OpeningProject } from '#shared/contract/views/projects.ts'
import { followOpening } from './follow-opening.ts'

const half: OpeningProject = { name: 'work', done: 1, total: 2 }

/** Time passes at once, but never before what is already going on. */
const sleep = () => new Promise<void>((resolve) => setImmediate(resolve))

it('shows how far a slow opening is, asks until it ends, and then takes it back', async () => {
  const opened = Promise.withResolvers<string>()
  const shown: (OpeningProject | null)[] = []
  let asked = 0
  const opening = async () => {
    asked += 1
    if (asked === 3) opened.resolve('it')
    return asked === 1 ? [] : [half]
  }
  const show = (one: OpeningProject | null) => void shown.push(one)
  expect(await followOpening(opened.promise, { client: { projects: { opening } }, sleep, show })).toBe('it')
  expect(shown).toEqual([null, half, null])
})

it('asks nothing about a project that opens at once', async () => {
  const opening = () => Promise.reject(new Error('nobody should ask'))
  const shown: (OpeningProject | null)[] = []
  const show = (one: OpeningProject | null) => void shown.push(one)
  const never = () => new Promise<void>(() => {})
  expect(await followOpening(Promise.resolve(1), { client: { projects: { opening } }, sleep: never, show })).toBe(1)
  expect(shown).toEqual([null])
})

it('fails as the opening fails, also when the connection is lost meanwhile', async () => {
  const opened = Promise.withResolvers<string>()
  const shown: (OpeningProject | null)[] = []
  const opening = async () => {
    opened.reject(new Error('locked'))
    throw new Error('no connection')
  }
  const show = (one: OpeningProject | null) => void shown.push(one)
  const followed = followOpening(opened.promise, { client: { projects: { opening } }, sleep, show })
  await expect(followed).rejects.toThrow('locked')
  expect(shown).toEqual([null])
})
