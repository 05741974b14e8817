import { describe, expect, it } from 'vitest'
import { chosenEffort, offersEffort } from './effort-choice.ts'

describe('the choice of effort', () => {
  it('is offered by a model with efforts, and by one that thinks', () => {
    expect(offersEffort({ efforts: ['low'], thinking: 'none' })).toBe(true)
    expect(offersEffort({ efforts: [], thinking: 'always' })).toBe(true)
    expect(offersEffort({ efforts: [], thinking: 'none' })).toBe(false)
  })

  it('keeps what the next model offers too, and is as usual otherwise', () => {
    const choice = { effort: 'xhigh', thinking: false } as const
    expect(chosenEffort(choice, { efforts: ['low', 'xhigh'], thinking: 'optional' })).toEqual(choice)
    expect(chosenEffort(choice, { efforts: ['low'], thinking: 'adaptive' })).toEqual({ effort: null, thinking: false })
    expect(chosenEffort(choice, { efforts: ['xhigh'], thinking: 'always' })).toEqual({
      effort: 'xhigh',
      thinking: null,
    })
    expect(chosenEffort(choice, { efforts: [], thinking: 'none' })).toEqual({ effort: null, thinking: null })
  })
})
