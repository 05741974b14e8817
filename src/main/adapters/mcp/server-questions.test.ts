import { expect, it } from 'vitest'
import { readQuestion } from './server-questions.ts'

const form = (properties: object, message = 'Which?') =>
  readQuestion({ message, requestedSchema: { type: 'object', properties } } as never)
const page = (url: string) => readQuestion({ mode: 'url', message: 'There.', url, elicitationId: 'one' } as never)
const choice = (count: number) => ({
  of: { type: 'string', enum: Array.from({ length: count }, (_, index) => `option ${index}`) },
})

it('shows a question of two hundred options, and none that a card cannot hold whole', () => {
  expect(form(choice(200))).toMatchObject({ fields: [{ kind: 'one of' }] })
  expect(form(choice(201))).toBeNull()
  expect(form({}, 'x'.repeat(5_000))).toBeNull()
  expect(form(Object.fromEntries(Array.from({ length: 31 }, (_, at) => [`f${at}`, { type: 'string' }])))).toBeNull()
  expect(form({ deep: { type: 'object', properties: {} } })).toBeNull()
})

it('reads titles in all forms that servers write them in', () => {
  const titled = [{ value: 'a', title: 'A' }]
  const fields = [
    { type: 'string', enum: ['a'], enumNames: ['A'] },
    { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
    { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
  ]
  for (const field of fields) expect(form({ field })).toMatchObject({ fields: [{ options: titled }] })
})

// Mutation: open what is no page of the web.
it.each([
  'javascript:alert(1)',
  'file:///etc/passwd',
  'vscode://run',
  'no address',
  'https://bank.example@evil.example/',
  'https://:x@evil.example/',
])('does not offer %s', (url) => {
  expect(page(url)).toBeNull()
  expect(page('https://pay.example.org/')).toMatchObject({ kind: 'address', address: 'https://pay.example.org/' })
})

// Mutation: show labels as they are, or options of any length.
it('shows labels as one line of what they are, and no option that is too long to read', () => {
  const oneOf = [{ const: 'yes', title: 'N\u202eo\nwait' }, { const: '\u200b' }]
  expect(form({ sure: { type: 'string', title: '\u202e', description: 'a\u001b[2J', oneOf } })).toMatchObject({
    fields: [
      {
        ...{ title: '\\u{202e}', description: 'a\\u{001b}[2J' },
        options: [
          { value: 'yes', title: 'N\\u{202e}o wait' },
          { value: '\u200b', title: '\\u{200b}' },
        ],
      },
    ],
  })
  expect(form({ sure: { type: 'string', enum: ['x'.repeat(501)] } })).toBeNull()
})
