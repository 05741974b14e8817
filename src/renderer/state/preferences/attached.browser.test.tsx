import { expect, it, onTestFinished } from 'vitest'
import { type Attached, createAttachedStore, nothingAttached } from './attached.ts'

const picture = (name: string, size: number): Attached => ({
  images: [{ name, size, mediaType: 'image/png', data: 'AA==' }],
  files: [],
})

it('keeps what is attached to each draft until it is taken off', async () => {
  await createAttachedStore('kept').change('a', () => picture('a.png', 10))
  const store = createAttachedStore('kept')
  expect(await store.read('a')).toEqual({ attached: picture('a.png', 10), lost: [] })
  expect(await store.read('b')).toEqual({ attached: nothingAttached, lost: [] })
  await store.change('a', () => nothingAttached)
  expect(await store.read('a')).toEqual({ attached: nothingAttached, lost: [] })
})

it('makes room by removing what is attached to the oldest drafts, and says so once', async () => {
  const store = createAttachedStore('bounded', 100)
  for (const name of ['a', 'b', 'c']) await store.change(name, () => picture(`${name}.png`, 40))
  expect(await store.read('a')).toEqual({ attached: nothingAttached, lost: ['a.png'] })
  expect(await store.read('a')).toEqual({ attached: nothingAttached, lost: [] })
  for (const name of ['b', 'c'])
    expect(await store.read(name)).toEqual({ attached: picture(`${name}.png`, 40), lost: [] })
})

it('changes what another window attached, and tells it', async () => {
  const here = createAttachedStore('shared')
  const there = createAttachedStore('shared')
  const told = Promise.withResolvers<void>()
  onTestFinished(there.follow('a', told.resolve))
  await here.change('a', () => picture('a.png', 10))
  await told.promise
  await there.change('a', ({ images, files }) => ({ images: [...images, ...picture('b.png', 10).images], files }))
  const { attached } = await here.read('a')
  expect(attached.images.map(({ name }) => name)).toEqual(['a.png', 'b.png'])
})
