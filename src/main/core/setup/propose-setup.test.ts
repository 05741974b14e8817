import { describe, expect, it } from 'vitest'
import { createMemoryBaseTree } from '#overlay'
import { proposeSetups } from './propose-setup.ts'

const propose = (files: Readonly<Record<string, string>>) => proposeSetups(createMemoryBaseTree(files))
const commands = async (files: Readonly<Record<string, string>>) => (await propose(files)).map(({ command }) => command)

describe('the setup that a folder calls for', () => {
  const npm = 'npm ci --prefer-offline --no-audit --no-fund'

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['npm', { '/package-lock.json': '{}', '/package.json': '{}' }, npm],
    ['npm without a lockfile', { '/package.json': '{"dependencies": {"a": "1"}}' }, 'npm install'],
    ['pnpm', { '/pnpm-lock.yaml': '', '/package.json': '{}' }, 'pnpm install --frozen-lockfile'],
    ['yarn', { '/yarn.lock': '', '/package.json': '{}' }, 'yarn install --frozen-lockfile'],
    ['a newer yarn', { '/yarn.lock': '', '/.yarnrc.yml': '' }, 'yarn install --immutable'],
    ['bun', { '/bun.lock': '' }, 'bun install --frozen-lockfile'],
    ['pip', { '/requirements.txt': 'a' }, 'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt'],
    ['uv', { '/uv.lock': '', '/pyproject.toml': '' }, 'uv sync --frozen'],
    ['poetry', { '/poetry.lock': '' }, 'POETRY_VIRTUALENVS_IN_PROJECT=true poetry install'],
    ['cargo', { '/Cargo.lock': '', '/Cargo.toml': '' }, 'cargo fetch --locked'],
    ['cargo without a lockfile', { '/Cargo.toml': '' }, 'cargo fetch'],
    ['go', { '/go.mod': '' }, 'go mod download'],
    ['maven', { '/pom.xml': '' }, 'mvn -B -q dependency:go-offline'],
    ['maven with its wrapper', { '/pom.xml': '', '/mvnw': '' }, './mvnw -B'],
    ['gradle', { '/build.gradle.kts': '' }, 'gradle --no-daemon dependencies'],
    ['bundler', { '/Gemfile': '' }, 'bundle config set --global path'],
    ['composer', { '/composer.json': '{}' }, 'composer install'],
    ['conductor', { '/conductor.json': '{"scripts": {"setup": "make deps"}}' }, 'make deps'],
    ['a dev container', { '/.devcontainer/devcontainer.json': '{"postCreateCommand": "make deps"}' }, 'make deps'],
    ['words of a dev container', { '/.devcontainer.json': '{"postCreateCommand": ["echo", "a b"]}' }, "echo 'a b'"],
    [
      'the Codex app',
      {
        '/.codex/environments/environment.toml':
          "version = 1\n[setup]\nscript = '''\nmake a\nmake b\n'''\n[[actions]]\nname = 'Run'",
      },
      'make a\nmake b',
    ],
    [
      'Superset',
      { '/.superset/config.json': '{"setup": ["make a", "make b"], "teardown": ["make c"]}' },
      'make a && make b',
    ],
    ['Cursor', { '/.cursor/worktrees.json': '{"setup-worktree": ["make a", 7, " "]}' }, 'make a'],
    [
      'Cursor on this kind of system, by a script',
      { '/.cursor/worktrees.json': '{"setup-worktree": ["no"], "setup-worktree-unix": "./my setup.sh"}' },
      "bash '.cursor/my setup.sh'",
    ],
    [
      'all steps of a dev container',
      { '/.devcontainer.json': '{"postCreateCommand": "c", "onCreateCommand": "a", "updateContentCommand": "b"}' },
      'a && b && c',
    ],
    [
      'commands by name, with comments',
      { '/.devcontainer.json': '{ // first\n "postCreateCommand": {"a": "make a", "b": ["make", "b"],}, }' },
      'make a && make b',
    ],
  ])('is found for %s', async (_, files, start) => {
    const [first, ...others] = await commands(files)
    expect(first?.startsWith(start)).toBe(true)
    expect(others).toEqual([])
  })

  it('is none for a folder without one, or with a file that nobody can read', async () => {
    expect(await propose({ '/package.json': '{"name": "a"}', '/a.js': '' })).toEqual([])
    expect(await propose({ '/conductor.json': '{', '/.devcontainer.json': '{"postCreateCommand": ""}' })).toEqual([])
    const broken = { '/.codex/environments/environment.toml': '[setup\nscript = 1', '/.cursor/worktrees.json': '[]' }
    expect(await propose({ ...broken, '/.superset/config.json': '{"setup": {"a": 1}}' })).toEqual([])
  })

  // Mutation: without the `try` around the parser, such a file keeps the project from being shown.
  it('is none for a file that nests without end', async () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const)
      for (const depth of [2_000, 20_000]) {
        const nested = `${open.repeat(depth)}1${close.repeat(depth)}`
        const files = { '/conductor.json': `{"scripts": {"setup": ${nested}}}`, '/.devcontainer.json': nested }
        expect(await propose(files)).toEqual([])
      }
  })

  it('goes on after a comment and after a command that stays in the background', async () => {
    const setup = ['make a # first', 'make b &', 'make c']
    expect(await commands({ '/.superset/config.json': JSON.stringify({ setup }) })).toEqual([
      '{ make a # first\n} && { make b &\n} && make c',
    ])
  })

  it('looks at no file outside of the project', async () => {
    const read: string[] = []
    const base = createMemoryBaseTree({
      '/conductor.json': '{"scripts": {"setup": "sh ../up.sh a/../../b.sh ./in.sh"}}',
    })
    const watched = {
      ...base,
      read(...given: Parameters<typeof base.read>) {
        read.push(given[0])
        return base.read(...given)
      },
    }
    await proposeSetups(watched)
    expect(read.filter((path) => path.includes('..'))).toEqual([])
    expect(read).toContain('/in.sh')
  })

  it('copies nothing that the view has, and names the original folder where a command or its script asks for it', async () => {
    const found = await commands({
      '/.cursor/worktrees.json': JSON.stringify({
        'setup-worktree': [
          'cp "$ROOT_WORKTREE_PATH/.env" .env',
          `cp \${ROOT_WORKTREE_PATH}/.env.local .env.local`,
          'ln -s $ROOT_WORKTREE_PATH/data .',
          'cp $ROOT_WORKTREE_PATH/.env.example .env',
          'make',
        ],
      }),
      '/conductor.json': '{"scripts": {"setup": "./scripts/setup.sh && make"}}',
      '/scripts/setup.sh': 'cp "$CONDUCTOR_ROOT_PATH/.env" .env',
      '/.superset/config.json': '{"setup": ["cp $SUPERSET_ROOT_PATH/.env .env"]}',
    })
    expect(found).toEqual([
      'export CONDUCTOR_ROOT_PATH="$PWD"; ./scripts/setup.sh && make',
      'export ROOT_WORKTREE_PATH="$PWD"; cp $ROOT_WORKTREE_PATH/.env.example .env && make',
    ])
  })

  it('names its inputs, hosts and source', async () => {
    expect(await propose({ '/package-lock.json': '{}', '/package.json': '{}' })).toEqual([
      {
        command: npm,
        inputs: ['package-lock.json', 'package.json'],
        hosts: ['preset:npm'],
        source: '/package-lock.json',
      },
    ])
  })

  it('begins with the project’s own script, which needs the registries of what lies beside it', async () => {
    const found = await propose({
      '/conductor.json': '{"scripts": {"setup": "./setup.sh"}}',
      '/package-lock.json': '{}',
      '/requirements.txt': 'a',
    })
    expect(found.map(({ source }) => source)).toEqual(['/conductor.json', '/package-lock.json', '/requirements.txt'])
    expect(found[0]).toMatchObject({
      hosts: ['preset:npm', 'preset:pypi'],
      inputs: ['conductor.json', 'package-lock.json', 'requirements.txt'],
    })
  })

  it('is found for each part of a project, the root first, and not in packages or hidden folders', async () => {
    const found = await propose({
      '/web app/package-lock.json': '{}',
      '/packages/api/go.mod': '',
      '/Cargo.lock': '',
      '/node_modules/a/package-lock.json': '{}',
      '/.cache/package-lock.json': '{}',
    })
    expect(found.map(({ command }) => command)).toEqual([
      'cargo fetch --locked',
      `cd 'web app' && ${npm}`,
      'cd packages/api && go mod download',
    ])
    expect(found[1]?.inputs).toEqual(['web app/package-lock.json'])
  })
})
