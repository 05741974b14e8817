import { expect, it } from 'vitest'
import type { BlobHash } from '#shared/model/ids.ts'
import { keepRecentBytes } from './sqlite-blobs.ts'

const [a, b, c] = ['a', 'b', 'c'] as [BlobHash, BlobHash, BlobHash]

it('drops what was used longest ago', () => {
  const recent = keepRecentBytes(32)
  for (let round = 0; round < 20; round += 1) recent.keep(`${round}` as BlobHash, new Uint8Array(2))
  expect(recent.get('3' as BlobHash)).toBeUndefined()
  expect(recent.get('4' as BlobHash)).toEqual(new Uint8Array(2))
  recent.keep(a, new Uint8Array(2))
  expect(recent.get('4' as BlobHash)).toEqual(new Uint8Array(2))
  expect(recent.get('5' as BlobHash)).toBeUndefined()
})

it('counts content that is kept twice once, and does not give all its room to one item', () => {
  const recent = keepRecentBytes(32)
  recent.keep(b, new Uint8Array(2))
  for (let round = 0; round < 100; round += 1) recent.keep(a, new Uint8Array(2))
  expect(recent.get(b)).toEqual(new Uint8Array(2))
  recent.keep(c, new Uint8Array(3))
  expect(recent.get(c)).toBeUndefined()
})
