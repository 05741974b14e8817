import { expect, it } from 'vitest'
import { createMemoryBaseTree } from '#overlay'
import { promptFileAccess } from '../approval/file-policy.ts'
import { noRules } from '../approval/rules.ts'
import { createMemorySearch } from '../ports/search.testkit.ts'
import { findIncludedFiles } from './included-files.ts'

const secret = 'TOKEN=ghp_a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2a1B2\n'
const files = {
  '/.gitignore': '.env*\nlocal/\n',
  '/.env': secret,
  '/.env.example': 'TOKEN=\n',
  '/docs/.env': secret,
  '/docs/deep/.env': secret,
  '/local/keys/deploy.pem': '-----BEGIN PRIVATE KEY-----\nMIIx\n-----END PRIVATE KEY-----\n',
  '/local/notes.txt': 'nothing secret\n',
  '/odd[1]/.env': secret,
}

async function find(include: string | undefined, rules: Partial<typeof noRules> = {}) {
  const base = createMemoryBaseTree({ ...files, ...(include !== undefined && { '/.worktreeinclude': include }) })
  const policy = { interruptOn: new Map(), commands: 'before' as const, rules: { ...noRules, ...rules } }
  const services = { base, search: createMemorySearch(base), access: () => promptFileAccess(policy) }
  return findIncludedFiles(services, new AbortController().signal)
}

it.each([
  ['.env', ['/.env', '/docs/.env', '/docs/deep/.env']],
  ['/.env', ['/.env']],
  ['docs/.env', ['/docs/.env']],
  ['# a comment\n.env\n!/docs/.env\n', ['/.env', '/docs/deep/.env']],
  ['local/', ['/local/keys/deploy.pem']],
  ['**/*.pem\ndocs/**', ['/docs/.env', '/docs/deep/.env', '/local/keys/deploy.pem']],
  ['', []],
  ['[', []],
  [undefined, []],
])('finds what %j names and commands do not see', async (include, expected) => {
  expect(await find(include)).toEqual(expected)
})

// Mutation: leave out `mayReadByRules`, or `mayShow`.
it('names nothing that a rule protects, or that commands see already', async () => {
  expect(await find('.env', { deny: ['Read(docs/.env)'] })).toEqual(['/.env', '/docs/deep/.env'])
  expect(await find('.env', { allow: ['Read(/.env)'] })).toEqual(['/docs/.env', '/docs/deep/.env'])
})
