import { expect, it } from 'vitest'
import { startersFor } from './starters.ts'

const labels = (facts: Parameters<typeof startersFor>[0]) => startersFor(facts).map(({ label }) => label)

it('makes tasks from the files and scripts of the project', () => {
  const paths = ['/README.md', '/test/billing.test.ts', '/scripts/run.mjs', '/src/deep/er/tax.ts', '/src/billing.ts']
  const manifest = '{"scripts":{"build":"tsc","test":"vitest"}}'
  expect(labels({ paths, manifest, git: true })).toEqual([
    'Explain src/billing.ts',
    'Find why npm test fails',
    'Split work over 3 agents',
    'Review my uncommitted changes',
  ])
  expect(startersFor({ paths, manifest, git: true })[2]?.task).toContain(
    '@src/billing.ts, @src/deep/er/tax.ts, @scripts/run.mjs',
  )
})

it('names no file by a word that belongs to another button', () => {
  expect(labels({ paths: ['/src/Sender.ts', '/src/z.ts'], manifest: null, git: true })[0]).toBe('Explain src/z.ts')
})

it.each([
  ['an empty project', { paths: [], manifest: null, git: false }, ['Explain this project', 'Suggest improvements']],
  [
    'a damaged package.json',
    { paths: ['/main.py', '/pyproject.toml'], manifest: '{', git: false },
    ['Explain main.py', 'Find why pytest fails', 'Suggest improvements'],
  ],
] as const)('has tasks for %s', (_, facts, expected) => {
  expect(labels(facts)).toEqual(expected)
})
