import { describe, expect, it } from 'vitest'
import { settingsJsonSchema, settingsReference } from './settings-reference.ts'
import { settingsShape } from './settings-schema.ts'

describe('the reference of the settings', () => {
  it('lists every setting with a meaning, and every value of a group', () => {
    const listed = settingsReference()
    const paths = listed.map(({ path }) => path)
    expect(paths.filter((path) => !path.includes('.'))).toEqual(Object.keys(settingsShape))
    expect(paths).toEqual(expect.arrayContaining(['budgets.run.cost', 'runner.timeout_ms', 'permissions.deny']))
    expect(listed.filter(({ description }) => description === '')).toEqual([])
  })

  it('says what a setting takes, and what happens without it', () => {
    const found = Object.fromEntries(settingsReference().map((one) => [one.path, `${one.takes}; ${one.usual}`]))
    expect(found).toMatchObject({
      approval_mode: '"plan", "ask", "auto-edit" or "auto"; "auto-edit"',
      base_url: 'an address or null; null',
      max_iterations: 'a whole number from 1 to 10000; null',
      'budgets.run.cost': 'a number above 0 or null; 5',
      'quarantine.inherit': 'true or false; true',
      unknown_price: '"refuse" or an object; {"input":3,"output":15}',
      runner: 'a group; null',
    })
  })

  it('describes a settings file for editors, and leaves keys of other versions alone', () => {
    expect(settingsJsonSchema()).toMatchObject({
      title: 'Settings of Coppice',
      additionalProperties: true,
      properties: { max_iterations: { type: 'integer', maximum: 10_000 } },
    })
  })
})
