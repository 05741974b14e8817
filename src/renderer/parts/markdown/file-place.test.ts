import { expect, it } from 'vitest'
import { placeIn } from './file-place.ts'

it('finds the place that a text names', () => {
  expect(placeIn('src/a.ts:12')).toEqual({ path: '/src/a.ts', line: 12 })
  expect(placeIn('/src/[id]/page.tsx:3:14')).toEqual({ path: '/src/[id]/page.tsx', line: 3 })
  expect(placeIn('./docs/guide.md')).toEqual({ path: '/docs/guide.md', line: null })
  expect(placeIn('a.ts:7-9')).toEqual({ path: '/a.ts', line: 7 })
})

it('takes nothing else for a place', () => {
  for (const text of [
    'a.ts',
    'npm test',
    '../../etc/passwd.txt',
    'https://x.org/a.js',
    'obj.method',
    'src/',
    `${'a/'.repeat(400)}b.ts`,
    '',
  ])
    expect(placeIn(text), text).toBeNull()
})
