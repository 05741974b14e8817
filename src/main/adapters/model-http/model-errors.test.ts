import { describe, expect, it } from 'vitest'
import { listedFacts, readModels } from './listed-facts.ts'
import { toModelError } from './model-errors.ts'

/** An error as the SDKs throw it. */
const refusal = (status: number, error: unknown, more: object = {}) =>
  Object.assign(new Error(`${status} refused`), { status, headers: new Headers(), error, ...more })

describe('the message of an error', () => {
  it('names a server by its address alone, and a cloud without one in words', () => {
    const failed = new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })
    const told = (address: string) => String(toModelError(failed, false, address))
    expect(told('https://user:sk-canary@a.example/v1/?key=sk-canary')).toContain(
      'https://a.example/v1 could not be reached: ECONNREFUSED',
    )
    expect(told('')).toContain('The server could not be reached')
  })

  it.each([1_990, 1_999, 2_000])('never ends within a key that begins after %i characters', (length) => {
    const key = 'sk-canary-0123456789'
    const words = `${'word '.repeat(400).slice(0, length - 1)} ${key} and more`
    const error = toModelError(refusal(400, { error: { message: words } }), false, 'https://a.example')
    const text = String(error).replace(key, '')
    expect(text).not.toContain('sk-c')
    expect(text).toContain('word word')
  })

  it('is that of a usual failure for a type that is called like a part of an object', () => {
    const error = refusal(0, { error: { type: 'constructor', message: 'No.' } }, { status: undefined })
    expect(toModelError(error, false, 'https://a.example')).toMatchObject({ code: 'server', said: 'No.' })
  })
})

describe('what a server says of a model', () => {
  it.each([0, -1, '0', Number.POSITIVE_INFINITY, '1e999', 'many', null, {}])('takes no window of %j', (size) => {
    expect(listedFacts({ id: 'm', context_length: size, max_tokens: size })).toEqual({
      ...{ contextWindow: null, maxOutput: null, prices: null },
    })
  })

  it('takes no prices that are no numbers', () => {
    const priced = (prompt: unknown) => listedFacts({ id: 'm', pricing: { prompt, completion: 0.000_001 } }).prices
    expect(priced('0.000003')).toMatchObject({ input: 3, output: 1 })
    expect([priced(1e305), priced('1e305'), priced(-1)]).toEqual([null, null, null])
  })

  it.each([null, 7, 'm', {}, { id: 7 }, { id: '' }, []])('of %j is said to be in an unknown form', (model) => {
    expect(() => listedFacts(model)).toThrow(/lists its models in a form that Coppice does not know/)
  })
})

describe('a list of models', () => {
  // Mutation: when one model in an unknown form ends the list, the profile has no models.
  it('loses the models alone that are in an unknown form', async () => {
    const listed = [{ id: 'a' }, {}, { id: 7 }, { id: 'b', context_length: 'x' }]
    expect((await readModels(listed, () => null)).map(({ id }) => id)).toEqual(['a', 'b'])
    await expect(readModels([{}, { id: '' }], () => null)).rejects.toThrow(/form that Coppice does not know/)
  })
})
