import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMemoryBaseTree } from '#overlay'
import { lastingVariable } from '#shared/model/setup.ts'
import { runs } from '../ports/test-size.testkit.ts'
import { findScripts } from './project-scripts.ts'

const find = (files: Readonly<Record<string, string>>, system = 'linux') =>
  findScripts(createMemoryBaseTree(files), system)

describe('what a project keeps for other tools', () => {
  it('is what its files say to run and to take down', async () => {
    const files = {
      '/conductor.json': `{ // Conductor
        "scripts": {"setup": "npm ci", "run": "npm run dev -- -p $CONDUCTOR_PORT", "archive": "./down.sh", "more": "x"},
        "runScriptMode": "nonconcurrent", "enterpriseDataPrivacy": true, }`,
      '/down.sh': 'rm -r "$CONDUCTOR_WORKSPACE_PATH/tmp"',
      '/.superset/config.json': '{"setup": [], "run": ["make db", "make up"], "teardown": ["make down"]}',
    }
    expect(await find(files)).toEqual({
      runs: [
        {
          name: 'run',
          command: 'export CONDUCTOR_PORT=3000; npm run dev -- -p $CONDUCTOR_PORT',
          source: '/conductor.json',
        },
        { name: 'run 2', command: 'make db && make up', source: '/.superset/config.json' },
      ],
      archive: { command: 'export CONDUCTOR_WORKSPACE_PATH="$PWD"; ./down.sh', source: '/conductor.json' },
      ...{ variables: {}, ports: [] },
      leftOut: ['/conductor.json: enterpriseDataPrivacy, scripts.more'],
    })
  })

  it('are the actions of the Codex app for this system', async () => {
    const text = `version = 1
name = "App"
[setup]
script = "npm ci"
[setup.windows]
script = "x"
[cleanup]
script = "dropdb app"
[[actions]]
name = "Dev"
icon = "run"
command = "npm run dev"
[[actions]]
name = "Mac"
command = "open ."
platform = "darwin"
`
    const files = { '/.codex/environments/environment.toml': text }
    const source = '/.codex/environments/environment.toml'
    const onLinux = await find(files)
    expect(onLinux.runs).toEqual([{ name: 'Dev', command: 'npm run dev', source }])
    expect(onLinux.archive).toEqual({ command: 'dropdb app', source })
    expect(onLinux.leftOut).toEqual([`${source}: setup.windows, the action Mac of another system`])
    expect((await find(files, 'darwin')).runs.map(({ name }) => name)).toEqual(['Dev', 'Mac'])
  })

  it('names of a development container what has a meaning here, and what has none', async () => {
    const text = `{
      // An image is no view of a folder.
      "name": "App", "image": "node:22",
      "containerEnv": {"STAGE": "dev", "TOKEN": "\${localEnv:TOKEN}", "PATH": "/x"},
      "remoteEnv": {"LOG": "\${containerEnv:LOG}", "COLOUR": "1", "GONE": null},
      "forwardPorts": [3000, "db:5432", "localhost:9229"],
      "portsAttributes": {"3000": {"label": "Shop"}, "40000-55000": {"onAutoForward": "ignore"}},
      "postCreateCommand": "npm ci", "postStartCommand": "npm start",
    }`
    const found = await find({ '/.devcontainer/devcontainer.json': text })
    expect(found.variables).toEqual({ STAGE: 'dev', COLOUR: '1' })
    expect(found.ports).toEqual([
      { port: 3000, label: 'Shop' },
      { port: 9229, label: null },
    ])
    expect(found.leftOut).toEqual([
      '/.devcontainer/devcontainer.json: image, postStartCommand, containerEnv.TOKEN, containerEnv.PATH, remoteEnv.LOG, remoteEnv.GONE, port db:5432, port 40000-55000',
    ])
  })

  // Mutation: read the person's variable for `${localEnv:…}`.
  it('reads nothing of the person’s environment', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(process.env)), fc.string(), async (name, rest) => {
        const containerEnv = { FROM_HERE: `\${localEnv:${name}}${rest}` }
        const found = await find({ '/.devcontainer.json': JSON.stringify({ containerEnv }) })
        expect(found.variables).toEqual({})
        expect(found.leftOut).toEqual(['/.devcontainer.json: containerEnv.FROM_HERE'])
      }),
      runs(100),
    )
  })

  it('is nothing for files that say nothing, or are of another shape', async () => {
    const nothing = { runs: [], archive: null, variables: {}, ports: [], leftOut: [] }
    expect(await find({ '/a.js': '' })).toEqual(nothing)
    const odd = { '/conductor.json': '[1]', '/.superset/config.json': '{', '/.cursor/worktrees.json': '{}' }
    expect(await find({ ...odd, '/.devcontainer.json': '{"forwardPorts": {}, "containerEnv": []}' })).toEqual(nothing)
    expect(await find({ '/conductor.json': '{"scripts": {"run": 7, "archive": " "}}' })).toEqual(nothing)
  })

  it('is read from files whose values are nothing that has a text, and is bounded', async () => {
    const odd = '{"toString": 1, "valueOf": 1}'
    const container = `{"forwardPorts": [${odd}, [${odd}], 80], "portsAttributes": {"81": ${odd}}, "postCreateCommand": [${odd}]}`
    const codex = `[[actions]]\nname = {toString = 1, valueOf = 1}\ncommand = "x"\n[[actions]]\nplatform = "mac"\nname = [1]\n`
    const found = await find({ '/.devcontainer.json': container, '/.codex/environments/environment.toml': codex })
    expect(found.ports.map(({ port }) => port)).toEqual([80, 81])
    expect(found.runs).toMatchObject([{ name: 'run', command: 'x' }])

    const names = Array.from({ length: 5_000 }, (_, at) => [`${'k'.repeat(20)}${at}`, {}] as const)
    const many = JSON.stringify({
      ...{ forwardPorts: names.map((_, at) => at + 1), portsAttributes: { 1: { label: 'l'.repeat(9_999) } } },
      ...Object.fromEntries(names),
    })
    const run = { [`a\u202e\n${'b'.repeat(5_000)}`]: 'x' }
    const bounded = await find({ '/.devcontainer.json': many, '/conductor.json': JSON.stringify({ scripts: { run } }) })
    expect(bounded.ports.length).toBeLessThanOrEqual(200)
    expect(bounded.ports[0]?.label?.length).toBeLessThanOrEqual(100)
    expect(bounded.runs[0]?.name).toMatch(/^[^\n\u202e]{1,100}$/)
    expect(bounded.leftOut.join('').length).toBeLessThan(10_000)
  })
})

describe('variables that can be given to every command', () => {
  it.each([
    ...['PATH', 'Path', 'HOME', 'BASH_ENV', 'ENV', 'IFS', 'GIT_CONFIG_GLOBAL', 'HTTPS_PROXY', 'NO_PROXY'],
    ...[
      'MAVEN_OPTS',
      'GRADLE_OPTS',
      'NODE_USE_ENV_PROXY',
      'YARN_HTTP_PROXY',
      'NPM_CONFIG_USERCONFIG',
      'PIP_CONFIG_FILE',
    ],
    ...[
      'npm_config_userconfig',
      'NODE_EXTRA_CA_CERTS',
      'SSL_CERT_FILE',
      'GIT_SSL_CAINFO',
      'CURL_CA_BUNDLE',
      'PIP_CERT',
    ],
    ...[
      'UID',
      'EUID',
      'PPID',
      'SHELLOPTS',
      'CARGO_HOME',
      'TERM',
      'A=B',
      'A\nB',
      'A-B',
      '',
      '1A',
      'A;touch x',
      '__proto__ ',
    ],
  ])('are not %s', (name) => {
    expect(lastingVariable(name, 'x')).toBe(false)
  })

  it.each(['STAGE', 'NODE_OPTIONS', 'DATABASE_URL', 'HOME_PAGE', 'TERMINAL'])('are %s', (name) => {
    expect(lastingVariable(name, "it's\n$(x)")).toBe(true)
  })
})
