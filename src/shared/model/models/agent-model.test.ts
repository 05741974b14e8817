import fc from 'fast-check'
import { expect, it } from 'vitest'
import { agentIn, agentModel, namedBeside, ownModelIn } from './agent-model.ts'

const agent = fc.string({ minLength: 1 }).filter((name) => !name.includes('/'))
const own = fc.option(fc.string({ minLength: 1 }))

it('reads from the name of a model which agent it is, and which of its models it is to use', () => {
  fc.assert(
    fc.property(agent, own, (name, model) => {
      const full = agentModel(name, model)
      expect([agentIn(full), ownModelIn(full)]).toEqual([name, model])
    }),
  )
})

it.each([
  ['agent/claude', 'opus', 'agent/claude/opus'],
  ['agent/claude/opus', 'haiku', 'agent/claude/haiku'],
  ['agent/opencode', 'anthropic/claude-opus-5', 'agent/opencode/anthropic/claude-opus-5'],
  ['agent/claude', 'agent/other', 'agent/other'],
  ['gate/m1', 'opus', 'opus'],
])('beside %s, %s means %s', (model, named, full) => {
  expect(namedBeside(model, named)).toBe(full)
})

it.each(['claude-opus-5', 'gate/agent/x', 'agent', 'agent/', 'agent//x', 'agents/x'])(
  'takes %s for a model',
  (model) => {
    expect([agentIn(model), ownModelIn(model)]).toEqual([null, null])
  },
)
