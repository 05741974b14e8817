import { describe, expect, it } from 'vitest'
import { findSettings, settingsSections } from './settings-index.ts'

const found = (query: string) =>
  findSettings(query).map(({ section, fields }) => `${section}: ${fields.map(({ label }) => label).join(', ')}`)

describe('the search of the settings', () => {
  it('finds every section for an empty query', () => {
    expect(findSettings('  ').map(({ section }) => section)).toEqual(settingsSections)
  })

  it('finds fields by label, description and section', () => {
    expect(found('base url')).toEqual(['models: Base URL'])
    expect(found('ollama')).toEqual(['models: Base URL'])
    expect(found('models key')).toContain('models: API key')
    expect(found('gateway')).toEqual(['models: Profiles'])
    expect(found('overloaded')).toEqual(['models: When a model is overloaded'])
    expect(found('DARK')).toEqual(['appearance: Theme'])
    expect(found('phone')).toEqual(['notifications: Tell a program or an address'])
    expect(found('notifications')).toEqual([
      expect.stringContaining('When an agent needs you, When a thread has ended'),
    ])
  })

  it('finds nothing for a word that is in no section', () => expect(found('zebra')).toEqual([]))
})
