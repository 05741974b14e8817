import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import type { JsonObject } from '#shared/base/json.ts'
import { readLogins } from './read-logins.ts'

it('reads ways to log in, each with its command line for a terminal', () => {
  const methods = [
    { id: 'a', name: 'Subscription', description: 'Use a subscription', type: 'terminal', args: ['--cli', 'log in'] },
    { id: 'b', name: 'Log in', description: null, _meta: { 'terminal-auth': { command: 'opencode', args: ['auth'] } } },
    { id: 'c', name: 'Key', type: 'env_var' },
    { id: 'd', name: 'Console', type: 'terminal', env: { NO_BROWSER: '1' } },
    'nonsense',
  ]
  expect(readLogins(methods, 'agent --acp')).toEqual([
    { text: 'Use a subscription', command: "agent --acp --cli 'log in'" },
    { text: 'Log in', command: 'opencode auth' },
    { text: 'Key', command: null },
    { text: 'Console', command: 'NO_BROWSER=1 agent --acp' },
  ])
  expect(readLogins(undefined, 'agent')).toEqual([])
})

/** Mutation: take the words of an agent as they are. */
it.each(['$(id)', '`id`', ';id', "it's", '"', '\\', '*', '~', '#', '&&', 'é'])(
  'gives the words of an agent to a shell as they are: %s',
  (word) => {
    const [login] = readLogins([{ id: 'a', type: 'terminal', args: [word], env: { A: word } }], 'printf %s\\\\n')
    expect(execFileSync('sh', ['-c', `${login?.command} "$A"`], { encoding: 'utf8' })).toContain(`${word}\n`)
  },
)

it.each([
  { args: ['a\nb'] },
  { args: ['\u001b[2J'] },
  { args: ['a\u202eb'] },
  { args: ['a\u2028b'] },
  { args: ['a\u3164b'] },
  { args: ['a\u{e0061}b'] },
  { args: ['a\u00a0b'] },
  { env: { 'A B': '1' } },
  { args: ['x'.repeat(3_000)] },
])('has no command line for what a terminal would take for something else: %j', (more) => {
  expect(readLogins([{ id: 'a', name: 'A', type: 'terminal', ...more }], 'agent')).toEqual([
    { text: 'A', command: null },
  ])
})

/** Mutation: show the words of an agent as they are. */
it('shows the words of an agent as one line of what they are', () => {
  const said = (method: JsonObject) => readLogins([method], 'agent')[0]?.text
  expect(said({ id: 'a', description: 'Log in\n\u202ewith\u001b[2J it' })).toBe('Log in \\u{202e}with\\u{001b}[2J it')
  expect(said({ id: 'a', description: 'x'.repeat(100_000) })).toHaveLength(300)
  expect([{ id: 'key' }, { id: 7 }, {}].map(said)).toEqual(['key', 'Log in', 'Log in'])
})
