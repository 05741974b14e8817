import { describe, expect, it } from 'vitest'
import { readModelChoices, rememberEffort, rememberModel } from './model-choices.ts'

function storage(): Storage {
  const kept = new Map<string, string>()
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  } as Storage
}

describe('the last chosen models', () => {
  it('are the latest five, each once', () => {
    const saved = storage()
    for (const id of ['a', 'b', 'c', 'd', 'b', 'e', 'f']) rememberModel(saved, id)
    expect(readModelChoices(saved).used).toEqual(['f', 'e', 'b', 'd', 'c'])
  })

  it('keep effort and thinking apart, and null as a choice', () => {
    const saved = storage()
    rememberEffort(saved, { effort: 'high' })
    rememberEffort(saved, { thinking: false })
    rememberModel(saved, 'a')
    expect(readModelChoices(saved)).toEqual({ used: ['a'], effort: 'high', thinking: false })
    rememberEffort(saved, { effort: null })
    expect(readModelChoices(saved)).toEqual({ used: ['a'], effort: null, thinking: false })
  })

  it('are none for a text that nobody can read', () => {
    const saved = storage()
    saved.setItem('coppice-models', '{"used":"all"}')
    expect(readModelChoices(saved)).toEqual({ used: [], effort: null, thinking: null })
  })
})
