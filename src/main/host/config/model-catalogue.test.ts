import { expect, it } from 'vitest'
import { defaultModelId, findModel, knownModels } from '#adapters/anthropic/models.ts'
import { ModelError, type ModelInfo } from '#core/ports/model-client.ts'
import { createModelCatalogue } from './provider.ts'

/** A server that lists these models, or fails for null, and counts its requests. */
function serverOf(list: readonly ModelInfo[] | null) {
  const server = {
    asked: 0,
    async models() {
      server.asked += 1
      if (list === null) throw new ModelError('server', 'down')
      return list
    },
  }
  return server
}

const local: ModelInfo = { id: 'local', name: 'Local', contextWindow: 32_000 }

it('takes the window of a known model from the table, and makes no request', async () => {
  const server = serverOf([local])
  const window = await createModelCatalogue().contextWindow('a', server, defaultModelId)
  expect([window, server.asked]).toEqual([findModel(defaultModelId)?.contextWindow, 0])
})

it('asks the server about another model once, however many agents start, and lists its models from then on', async () => {
  const [catalogue, server] = [createModelCatalogue(), serverOf([local])]
  const windows = await Promise.all(['local', 'local', 'other'].map((id) => catalogue.contextWindow('a', server, id)))
  expect([windows, server.asked]).toEqual([[32_000, 32_000, 200_000], 1])
  expect([catalogue.models('a'), catalogue.models('b')]).toEqual([[local], knownModels])
})

it.each([
  ['fails', null],
  ['lists nothing', []],
])('a server that %s stops no run and is not asked again', async (_, list) => {
  const [catalogue, server] = [createModelCatalogue(), serverOf(list)]
  expect([
    await catalogue.contextWindow('a', server, 'local'),
    await catalogue.contextWindow('a', server, 'x'),
  ]).toEqual([200_000, 200_000])
  expect([server.asked, catalogue.models('a')]).toEqual([1, knownModels])
})
