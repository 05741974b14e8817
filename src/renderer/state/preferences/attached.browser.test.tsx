import { expect, it } from 'vitest'
import { type Attached, createAttachedStore, nothingAttached } from './attached.ts'

const picture = (name: string, size: number): Attached => ({
  images: [{ name, size, mediaType: 'image/png', data: 'AA==' }],
  files: [],
})

it('keeps what is attached to each draft until it is taken off', async () => {
  await createAttachedStore('kept').write('a', picture('a.png', 10))
  const store = createAttachedStore('kept')
  expect(await store.read('a')).toEqual({ attached: picture('a.png', 10), lost: [] })
  expect(await store.read('b')).toEqual({ attached: nothingAttached, lost: [] })
  await store.write('a', nothingAttached)
  expect(await store.read('a')).toEqual({ attached: nothingAttached, lost: [] })
})

it('makes room by removing what is attached to the oldest drafts, and says so once', async () => {
  const store = createAttachedStore('bounded', 100)
  for (const name of ['a', 'b', 'c']) await store.write(name, picture(`${name}.png`, 40))
  expect(await store.read('a')).toEqual({ attached: nothingAttached, lost: ['a.png'] })
  expect(await store.read('a')).toEqual({ attached: nothingAttached, lost: [] })
  for (const name of ['b', 'c'])
    expect(await store.read(name)).toEqual({ attached: picture(`${name}.png`, 40), lost: [] })
})
