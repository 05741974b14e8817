import { expect, it } from 'vitest'
import { looksSecret, redact } from './secrets.ts'

it.each([
  'sk-ant-abcdefghijklmnopqrstuv',
  'AKIAABCDEFGHIJKLMNOP',
  'ghp_abcdefghijklmnopqrstuvwx',
  'password = "correcthorse"',
  '{"api_key": "0123456789abcdef"}',
  'AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzzz',
  'ANTHROPIC_API_KEY=0123456789abcdef',
  'DB_PASSWORD: correcthorse',
  'password=hunter2',
  'client_secret = abcdefghij',
  'github_access_token: abcdefghij',
  'sk_live_abcdefghijklmnop',
  'hf_abcdefghijklmnopqrstuvwxyzabcdef',
  'Authorization: Bearer abcdefghijklmnopqrstuv',
  'postgres://app:correcthorse@db.example/app',
  '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----',
])('%j counts as a secret and is replaced', (text) => {
  expect(looksSecret(text)).toBe(true)
  expect(redact(`before ${text} after`)).toMatch(/^before .*\[redacted\].* after$/s)
  expect(looksSecret(redact(text))).toBe(false)
})

it.each([
  'The password is kept in the vault.',
  'api_key: <yours>',
  'skip-this',
  'password: string',
  'DB_PASSWORD=$DB_PASSWORD',
  'https://example.com:8080/a@b',
  'mailto:someone@example.com',
])('%j does not count as a secret', (text) => {
  expect(redact(text)).toBe(text)
})

it('redacted JSON stays valid JSON, even if only the beginning of a key was quoted', () => {
  const key = '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----'
  const record = [{ text: 'It starts with -----BEGIN PRIVATE KEY-----' }, { text: 'between' }, { text: key }]
  expect(JSON.parse(redact(JSON.stringify(record)))).toEqual([
    { text: 'It starts with [redacted]' },
    { text: 'between' },
    { text: '[redacted]' },
  ])
})
