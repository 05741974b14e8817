import { describe, expect, it } from 'vitest'
import { findSettings, settingsSections } from './settings-index.ts'

const found = (query: string) =>
  findSettings(query).map(({ section, fields }) => `${section}: ${fields.map(({ label }) => label).join(', ')}`)

describe('the search of the settings', () => {
  it('finds every section for nothing asked', () => {
    expect(findSettings('  ').map(({ section }) => section)).toEqual(settingsSections)
  })

  it('finds fields by their label, by what is said of them, and by their section', () => {
    expect(found('base url')).toEqual(['models: Base URL'])
    expect(found('ollama')).toEqual(['models: Base URL'])
    expect(found('models key')).toContain('models: API key')
    expect(found('DARK')).toEqual(['appearance: Theme'])
    expect(found('notif')).toEqual(['notifications: When an agent needs you, When a thread has ended'])
  })

  it('finds nothing for what is nowhere', () => expect(found('zebra')).toEqual([]))
})
