import { expect, it } from 'vitest'
import { createMemoryBaseTree } from '#overlay'
import { proposeChecks } from './propose-checks.ts'

it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ['npm', { '/package.json': '{"scripts": {"test": "x", "lint": "y", "start": "z"}}' }, ['npm test', 'npm run lint']],
  ['pnpm', { '/package.json': '{"scripts": {"test": "x"}}', '/pnpm-lock.yaml': '' }, ['pnpm run test']],
  ['a package without tests', { '/package.json': '{"scripts": {"test": "echo \\"no test specified\\""}}' }, []],
  ['a broken package', { '/package.json': '{"scripts": ' }, []],
  ['make', { '/Makefile': 'test: a\n\tx\nlint := no\ncheck:\n' }, ['make test', 'make check']],
  ['pytest', { '/pyproject.toml': '[tool.pytest.ini_options]' }, ['python3 -m pytest']],
  ['cargo and go', { '/Cargo.toml': '', '/go.mod': '' }, ['cargo test', 'go test ./...']],
  ['nothing', { '/a.txt': '' }, []],
])('proposes the checks of %s', async (_, files, commands) => {
  expect((await proposeChecks(createMemoryBaseTree(files))).map(({ run }) => run)).toEqual(commands)
})
