import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { readRegistry } from './agent-registry.ts'
import { agentsIn } from './agents.ts'

const agent = (id: string, distribution: object, more: object = {}) => ({
  ...{ id, name: id.toUpperCase(), version: '1.0.0', description: `${id} agent`, authors: ['a'], license: 'MIT' },
  distribution,
  ...more,
})
const binary = {
  'linux-x86_64': { archive: 'https://x.example/a.tgz', cmd: './bin/agent', args: ['acp'], env: { A: '1' } },
}

it('reads the file of one agent and the whole registry, each as a definition that can be read', () => {
  const all = [
    agent('one', { npx: { package: '@scope/one@1.2.3', args: ['--acp', 'a b'] } }),
    agent('two', { npx: { package: 'two', cmd: 'two-acp' }, binary }),
    agent('three', { uvx: { package: 'three==1', env: { KEY: 'v' } } }),
    agent('four', { binary }),
  ]
  const { agents, problems } = readRegistry(JSON.stringify({ version: '1.0.0', agents: all }), 'linux-x86_64')
  expect(problems).toEqual([])
  expect(agents.map(({ name, acp, hosts, env }) => [name, acp, hosts, env])).toEqual([
    ['one', "npx -y @scope/one@1.2.3 --acp 'a b'", ['preset:npm'], {}],
    ['two', 'npx -y --package two two-acp', ['preset:npm'], {}],
    ['three', "uvx 'three==1'", ['preset:pypi'], { KEY: 'v' }],
    ['four', 'agent acp', [], { A: '1' }],
  ])
  const definitions = agents.map(({ name, description, acp, env }) => ({ name, description, acp, env }))
  expect(agentsIn(definitions, 's').problems).toEqual([])
  expect(readRegistry(JSON.stringify(all[0]), 'linux-x86_64').agents).toEqual(agents.slice(0, 1))
})

/** Mutation: join the words of an entry as they are. */
it('lets no entry say more to a shell than its words', () => {
  const hostile = ['$(touch x)', '; id', '`id`', "'", '"', '|', '~', '*']
  const [found] = readRegistry(JSON.stringify(agent('a', { npx: { package: 'p', args: hostile } })), 'x').agents
  const line = found?.acp.replace(/^npx -y p/, `printf '%s\\0'`)
  expect(
    execFileSync('sh', ['-c', line ?? ''], { encoding: 'utf8' })
      .split('\0')
      .slice(0, -1),
  ).toEqual(hostile)
})

it('names what it leaves out, and keeps the rest', () => {
  const all = [
    agent('only-mac', { binary: { 'darwin-aarch64': { archive: 'a', cmd: 'b' } } }),
    agent('../x', { npx: { package: 'x' } }),
    agent('bad', { npx: { args: [] } }),
    null,
    agent('fine', { npx: { package: 'fine' } }),
  ]
  const { agents, problems } = readRegistry(JSON.stringify({ agents: all }), 'linux-x86_64')
  expect(agents.map(({ name }) => name)).toEqual(['fine'])
  expect(problems).toEqual([
    'ONLY-MAC has no program for linux-x86_64.',
    expect.stringMatching(/^"..\/x" is no agent of the registry: id: /),
    expect.stringMatching(/^"bad" is no agent of the registry: distribution.npx.package: /),
    expect.stringMatching(/^An entry is no agent of the registry: /),
  ])
  expect(readRegistry('{', 'x').problems).toEqual(['The file is not JSON.'])
  expect(readRegistry('[]', 'x').problems).toHaveLength(1)
})

/** Mutation: take the words of an entry as they are, or add the first of a name where a person chose the second. */
it('shows each agent as what it is, and adds the one that was shown', () => {
  const npx = { package: 'x' }
  const all = [
    agent('a', { npx }, { name: 'Good\u202e\n one', description: '\u001b[2J' }),
    agent('a', { npx: { package: 'other' } }),
    agent('b', { npx: { package: 'x', args: ['\u202e'] } }),
    agent('c', { npx: { package: 'x', args: ['one\ntwo'] } }),
    agent('\u202e', { npx }),
  ]
  const { agents, problems } = readRegistry(JSON.stringify({ agents: all }), 'x')
  expect(agents.map(({ name, title, description, acp }) => [name, title, description, acp])).toEqual([
    ['a', 'Good\\u{202e} one', '\\u{001b}[2J', 'npx -y x'],
  ])
  expect(problems).toEqual([
    '"a" stands in the file before. Only the first counts.',
    'B has a command with characters that nobody sees.',
    'C has a command with characters that nobody sees.',
    expect.stringMatching(/^"\\u202e" is no agent of the registry: id:/),
  ])
})
