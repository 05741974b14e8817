import { describe, expect, it } from 'vitest'
import type { ModelChoice } from '#shared/contract/views/app.ts'
import { type ModelForm, modelDraftOf, modelFormOf } from './model-draft.ts'

const model: ModelChoice = {
  ...{ id: 'gate/m1', name: 'M1', contextWindow: 32_000, maxOutput: null, price: null },
  can: {
    ...{ tools: true, images: false, thinking: 'optional', efforts: ['low'], caching: true, temperature: true },
    schemas: false,
  },
}
const known = modelFormOf(model)
const result = (changes: Partial<ModelForm>) => modelDraftOf({ ...known, ...changes }, known)

describe('what a person says of a model', () => {
  it('is nothing while nothing was changed', () => expect(result({})).toEqual({ draft: {} }))

  it('holds only what differs from what is known', () => {
    expect(result({ context: '64000', images: true, efforts: ['low', 'max'] })).toEqual({
      draft: { context: 64_000, images: true, efforts: ['low', 'max'] },
    })
    expect(result({ name: ' ', maxOutput: '8000' })).toEqual({ draft: { name: null, maxOutput: 8_000 } })
  })

  it('prices the cache only where it was said', () => {
    expect(result({ input: '2', output: '0.5' })).toEqual({ draft: { prices: { input: 2, output: 0.5 } } })
    expect(result({ input: '0', output: '0', cacheRead: '0.1' })).toEqual({
      draft: { prices: { input: 0, output: 0, cacheRead: 0.1 } },
    })
  })

  it('takes prices away when all of them are empty', () => {
    const priced = { ...known, input: '2', output: '4', cacheRead: '1', cacheWrite: '1' }
    expect(modelDraftOf({ ...priced, input: '', output: '', cacheRead: '', cacheWrite: '' }, priced)).toEqual({
      draft: { prices: null },
    })
  })

  it.each([
    ['a window that is no number', { context: 'many' }, ['context']],
    ['a window that is too small', { context: '255' }, ['context']],
    ['a part of a token', { maxOutput: '1.5' }, ['maxOutput']],
    ['a price with a comma', { input: '2,50', output: '1' }, ['input']],
    ['a price in words', { input: 'two', output: 'five' }, ['input', 'output']],
    ['a price below nothing', { input: '-1', output: '1' }, ['input']],
    ['a price beyond reason', { input: '99999', output: '1' }, ['input']],
    ['only one of two prices', { input: '2' }, ['output']],
    ['a price of the cache alone', { cacheRead: '2' }, ['input', 'output']],
  ] as const)('is refused with words for %s', (_, changes, fields) => {
    const refused = result(changes)
    expect('problems' in refused && Object.keys(refused.problems)).toEqual(fields)
  })
})
