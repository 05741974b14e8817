import type { ClientContext } from '@agentclientprotocol/sdk'
import { expect, it } from 'vitest'
import type { JsonObject } from '#shared/base/json.ts'
import { createSessionChoices } from './session-choices.ts'

const option = (id: string, current: string, ...values: readonly string[]) => ({
  ...{ id, category: id, type: 'select', currentValue: current },
  options: values.map((value) => ({ value, name: value.toUpperCase() })),
})
const models = (current: string, ...ids: readonly string[]) => ({
  currentModelId: current,
  availableModels: ids.map((modelId) => ({ modelId, name: modelId.toUpperCase() })),
})

it('reads how long a model thinks under the name of the protocol', () => {
  const effort = createSessionChoices('effort')
  effort.read({ configOptions: [{ ...option('reasoning', 'a', 'a', 'b'), category: 'thought_level' }] })
  expect(effort.choices()).toMatchObject({ current: 'a', offered: [{ id: 'a' }, { id: 'b' }] })
})

/** An agent that answers every request in this way, and what it was asked. */
function agentThat(answer: JsonObject | null) {
  const asked: unknown[] = []
  const request = async (method: string, params: unknown) => {
    asked.push([method, params])
    return answer
  }
  return { asked, agent: { request } as unknown as ClientContext }
}

it.each([
  [
    'as an option',
    { configOptions: [option('model', 'a', 'a', 'b')] },
    ['session/set_config_option', { configId: 'model', value: 'b' }],
  ],
  ['in the older way', { models: models('a', 'a', 'b') }, ['session/set_model', { modelId: 'b' }]],
  [
    'in both ways, where the option counts',
    { models: models('x', 'x[high]'), configOptions: [option('model', 'a', 'a', 'b')] },
    ['session/set_config_option', { configId: 'model', value: 'b' }],
  ],
  [
    'in groups',
    { configOptions: [{ ...option('model', 'a'), options: [{ group: 'g', name: 'G', ...option('', '', 'a', 'b') }] }] },
    ['session/set_config_option', { configId: 'model', value: 'b' }],
  ],
] as const)('reads models that are offered %s, and chooses one', async (_, said, [method, params]) => {
  const { choices, read, choose } = createSessionChoices('model')
  read(JSON.parse(JSON.stringify(said)) as JsonObject)
  const offered = [
    { id: 'a', name: 'A' },
    { id: 'b', name: 'B' },
  ]
  expect(choices()).toEqual({ current: 'a', offered })
  const { agent, asked } = agentThat(null)
  await choose(agent, 's', 'b')
  expect(asked).toEqual([[method, { sessionId: 's', ...params }]])
  expect(choices()).toEqual({ current: 'b', offered })
})

it('takes what the agent says of them later, in an update or in its answer to a choice', async () => {
  const mode = createSessionChoices('mode')
  mode.read({ modes: { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] } })
  mode.read({ sessionUpdate: 'current_mode_update', currentModeId: 'plan' })
  expect(mode.choices().current).toBe('plan')
  const model = createSessionChoices('model')
  model.read({ configOptions: [option('model', 'a', 'a', 'b'), option('mode', 'x', 'x')] })
  model.read({ sessionUpdate: 'config_option_update', configOptions: [option('model', 'b', 'b', 'c')] })
  expect(model.choices()).toMatchObject({ current: 'b', offered: [{ id: 'b' }, { id: 'c' }] })
  await model.choose(agentThat({ configOptions: [option('model', 'c', 'c')] }).agent, 's', 'c')
  expect(model.choices()).toMatchObject({ current: 'c', offered: [{ id: 'c' }] })
})

it.each([{}, { modes: null, models: 3 }, { configOptions: 'no' }, { configOptions: [{ id: 'model' }] }])(
  'offers nothing after %j',
  (said) => {
    for (const kind of ['mode', 'model', 'effort'] as const) {
      const { choices, read } = createSessionChoices(kind)
      read(said)
      expect(choices()).toEqual({ current: '', offered: [] })
    }
  },
)
