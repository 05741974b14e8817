import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { AgentChoice, AgentChoiceKind } from '#core/ports/programs/external-agent.ts'
import { createDefinedAgents } from './agent-choices.ts'
import { openLearnedServers } from './learned-servers.ts'

const named = (...ids: readonly string[]): readonly AgentChoice[] => ids.map((id) => ({ id, name: id.toUpperCase() }))

function open(command = 'claude-agent-acp') {
  const path = join(mkdtempSync(join(tmpdir(), 'coppice-agents-')), 'servers.json')
  const of = (acp: string) => {
    const defined = [{ name: 'claude', description: 'd', acp }]
    const fail = (error: unknown) => expect.unreachable(String(error))
    return createDefinedAgents(
      () => defined,
      () => false,
      openLearnedServers(path, fail),
    )
  }
  return { agents: of(command), again: of, path }
}

const offering =
  (model: readonly AgentChoice[], effort: readonly AgentChoice[] = [], mode: readonly AgentChoice[] = []) =>
  (kind: AgentChoiceKind) => ({ current: '', offered: { model, effort, mode }[kind] })

it('keeps what an agent offered and the window of each model, for as long as its command is the same', () => {
  const { agents, again } = open()
  agents.keepOffered('claude', offering(named('opus', 'haiku'), named('default', 'high', 'low')))
  agents.keepWindow('agent/claude/opus', 1_000_000)
  agents.keepWindow('agent/claude', 50_000)
  const list = again('claude-agent-acp').list()
  expect(list.map(({ id, contextWindow, efforts }) => [id, contextWindow, efforts])).toEqual([
    ['agent/claude', 50_000, ['low', 'high']],
    ['agent/claude/opus', 1_000_000, ['low', 'high']],
    ['agent/claude/haiku', 200_000, ['low', 'high']],
  ])
  expect(again('another').list()).toMatchObject([{ id: 'agent/claude', contextWindow: 200_000 }])
})

it('keeps the modes of an agent that offers no models', () => {
  const { agents, again } = open()
  agents.keepOffered('claude', offering([], [], [...named('ask', 'bold', 'ask'), { id: 'o\u202edd', name: 'odd' }]))
  const modes = [
    { id: 'ask', name: 'ASK' },
    { id: 'bold', name: 'BOLD' },
  ]
  expect(again('claude-agent-acp').list()).toMatchObject([{ id: 'agent/claude', modes }])
  expect(again('another').list()[0]).not.toHaveProperty('modes')
})

it('keeps nothing of an agent that is not defined', () => {
  const { agents, path } = open()
  agents.keepOffered('codex', offering(named('gpt')))
  agents.keepWindow('agent/codex', 10)
  expect(agents.list().map(({ id }) => id)).toEqual(['agent/claude'])
  expect(() => readFileSync(path)).toThrow(/ENOENT/)
})

/** Mutation: leave out a part of `keepable`. */
it('is not flooded by an agent that offers very much, or the same twice', () => {
  const { agents, path } = open()
  const many = named(...Array.from({ length: 5_000 }, (_, index) => `m${index}`))
  agents.keepOffered(
    'claude',
    offering([{ id: 'x'.repeat(100_000), name: 'X' }, ...named('y'), { id: 'y', name: 'Y'.repeat(100_000) }, ...many]),
  )
  const ids = agents.list().map(({ id }) => id)
  expect(ids).toHaveLength(501)
  expect(ids.slice(0, 3)).toEqual(['agent/claude', 'agent/claude/y', 'agent/claude/m0'])
  expect(readFileSync(path).length).toBeLessThan(200_000)
})

/** Mutation: keep names as they are told. */
it('shows what an agent calls its models and commands as one line of what it is', () => {
  const { agents } = open()
  const models = ['safe\u202e', 'a\nb', ' c', 'd'].map((id) => ({ id, name: `D\u202e\n${id}` }))
  agents.keepOffered('claude', offering([...models, { id: 'e', name: ' ' }]))
  expect(agents.list().map(({ id, name }) => [id, name])).toEqual([
    ['agent/claude', 'claude'],
    ['agent/claude/d', 'claude › D\\u{202e} d'],
    ['agent/claude/e', 'claude › e'],
  ])
  const command = (name: string, description = '') => ({ name, description })
  const long = 'x'.repeat(100_000)
  const many = Array.from({ length: 5_000 }, (_, index) => command(`c${index}`))
  agents.keepCommands('claude', [
    command('a', 'One\n\u001b[2J'),
    command('a', 'Two'),
    command(long),
    command('b', long),
  ])
  expect(agents.commandsOf('claude')).toEqual([command('a', 'One \\u{001b}[2J'), command('b', long.slice(0, 1_000))])
  agents.keepCommands('claude', many)
  expect(agents.commandsOf('claude')).toEqual(many.slice(0, 500))
})
