import { describe, expect, it } from 'vitest'
import type { ModelChoice } from '#shared/contract/views/app.ts'
import { findModels } from './find-models.ts'

const model = (id: string, provider: string, name = id): ModelChoice => ({ id, name, provider, contextWindow: 1000 })
const models = [
  model('claude-sonnet', 'Anthropic', 'Claude Sonnet'),
  model('claude-opus', 'Anthropic', 'Claude Opus'),
  model('gate/meta/llama3:8b', 'gate'),
  model('gate/deep-claude', 'gate'),
  model('demo', 'Coppice', 'Demo'),
]
const found = (query: string, used: readonly string[] = []) =>
  findModels(models, query, used).map((group) => `${group.title}: ${group.models.map(({ id }) => id).join(', ')}`)

describe('the search of models', () => {
  it('shows all of them by who answers, without a query', () => {
    expect(found('')).toEqual([
      'Anthropic: claude-sonnet, claude-opus',
      'gate: gate/meta/llama3:8b, gate/deep-claude',
      'Coppice: demo',
    ])
  })

  it('puts those that were used last above the others, in their order, and only without a query', () => {
    expect(found(' ', ['demo', 'gone', 'claude-opus'])[0]).toBe('null: demo, claude-opus')
    expect(found('claude', ['demo'])).toEqual(['Anthropic: claude-sonnet, claude-opus', 'gate: gate/deep-claude'])
  })

  it('finds every word in the name, the id or the profile, in any order', () => {
    expect(found('8b LLAMA')).toEqual(['gate: gate/meta/llama3:8b'])
    expect(found('gate claude')).toEqual(['gate: gate/deep-claude'])
    expect(found('claude opus')).toEqual(['Anthropic: claude-opus'])
    expect(found('zebra')).toEqual([])
  })

  it('ranks a name that begins with the query above one that contains it', () => {
    const listed = [model('g/x-m1', 'g'), model('g/m1-x', 'g'), model('g/m1', 'g')]
    expect(findModels(listed, 'm1', [])[0]?.models.map(({ id }) => id)).toEqual(['g/m1-x', 'g/m1', 'g/x-m1'])
  })

  it('shows a part of a long list and says how many more there are', () => {
    const many = Array.from({ length: 2000 }, (_, index) => model(`gate/m${index}`, 'gate'))
    const [group] = findModels([...many, model('demo', 'Coppice')], '', [])
    expect([group?.models.length, group?.more]).toEqual([40, 1960])
    expect(findModels(many, 'm1999', [])[0]?.models.map(({ id }) => id)).toEqual(['gate/m1999'])
  })
})
