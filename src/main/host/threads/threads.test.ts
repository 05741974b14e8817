import { expect, it } from 'vitest'
import { attachedImage } from './thread-handlers.ts'

const gif = (side: number) =>
  Buffer.from([0x47, 0x49, 0x46, 0x38, 0x39, 0x61, side & 255, side >> 8, 1, 0]).toString('base64')

it('an attached image has the type of its bytes, not the given one', () => {
  const given = { type: 'image', mediaType: 'image/png', data: gif(1) } as const
  expect(attachedImage(given)).toEqual({ ...given, mediaType: 'image/gif' })
})

it.each([
  ['no image', 'AAAA', 'cannot be read'],
  ['no base64', '*', 'cannot be read'],
  ['too many pixels', gif(8_001), 'at most 8,000 px'],
])('an attached image is refused with %s, before it is part of a conversation', (_, data, message) => {
  expect(() => attachedImage({ type: 'image', mediaType: 'image/png', data })).toThrow(message)
})
