import { expect, it } from 'vitest'
import type { NotifyTarget } from '#shared/contract/views/settings.ts'
import { linesOf, notifyFrom, notifyText } from './outward-text.ts'

const targets: readonly (NotifyTarget | null)[] = [
  null,
  { kind: 'url', url: 'https://push.example/me' },
  { kind: 'command', command: ['my-notifier'] },
  { kind: 'command', command: ['curl', '-d', 'two words', 'https://push.example/me'] },
]

it.each(targets)('reads back what it wrote: %j', (target) => {
  expect(notifyFrom(notifyText(target))).toEqual(target)
})

it('takes an address for one only when it stands alone', () => {
  expect(notifyFrom(' HTTPS://push.example \n\n')).toEqual({ kind: 'url', url: 'HTTPS://push.example' })
  expect(notifyFrom('https://push.example\nmore')).toMatchObject({ kind: 'command' })
  expect(notifyFrom(' \n ')).toBeNull()
})

it('leaves empty lines out', () => {
  expect(linesOf('a\r\n\n  b ')).toEqual(['a', 'b'])
})
