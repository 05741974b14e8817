import { describe, expect, it } from 'vitest'
import type { PresetView, ProfileView } from '#shared/contract/views/models.ts'
import { draftOf, formOf, freeName, newProfile, type ProfileForm } from './profile-draft.ts'

const gate: PresetView = {
  ...{ id: 'gate', name: 'Gate', kind: 'anthropic', address: 'https://gate.example.com', scheme: 'bearer' },
  ...{ env: 'GATE_KEY', local: false, page: 'https://gate.example.com/keys' },
}
const local: PresetView = {
  ...gate,
  id: 'local',
  address: 'http://127.0.0.1:1',
  scheme: 'none',
  env: null,
  local: true,
}
const vertex: PresetView = { ...gate, id: 'vertex', kind: 'vertex', address: '', scheme: 'none', env: null }
const none = new Set<string>()

const draft = (form: ProfileForm, preset?: PresetView, taken = none) => draftOf(form, { preset, taken })
const other: ProfileForm = { ...newProfile(null, none), name: 'mine', address: 'http://127.0.0.1:9/v1' }
const problem = (changes: Partial<ProfileForm>, preset?: PresetView, taken?: ReadonlySet<string>) => {
  const result = draft({ ...(preset ? newProfile(preset, none) : other), ...changes }, preset, new Set(taken))
  return 'problems' in result ? result.problems : null
}

describe('the draft of a profile', () => {
  it('leaves to the preset what a person does not say', () => {
    expect(draft(newProfile(gate, none), gate)).toEqual({ draft: { name: 'gate', preset: 'gate' } })
    expect(draft(newProfile(local, none), local)).toEqual({ draft: { name: 'local', preset: 'local' } })
  })

  it('says everything of another server', () => {
    expect(
      draft({ ...other, kind: 'openai', thoughts: 'as_text', concurrency: '3', headers: 'X-Team: a: b\n' }),
    ).toEqual({
      draft: {
        ...{ name: 'mine', kind: 'openai', baseUrl: 'http://127.0.0.1:9/v1', concurrency: 3 },
        ...{ headers: { 'X-Team': 'a: b' }, thoughts: 'as_text' },
      },
    })
  })

  it('names the one place of the key, and sends none where none is needed', () => {
    expect(draft({ ...other, place: 'env', env: ' MY_KEY ' })).toMatchObject({ draft: { env: 'MY_KEY' } })
    expect(draft({ ...other, place: 'command', command: 'pass show x', env: 'OLD' })).toEqual({
      draft: { name: 'mine', kind: 'anthropic', baseUrl: 'http://127.0.0.1:9/v1', command: 'pass show x' },
    })
    expect(draft({ ...other, place: 'none' })).toMatchObject({ draft: { scheme: 'none' } })
  })

  it('sends a key to a server that usually wants none', () => {
    expect(draft({ ...newProfile(local, none), place: 'typed' }, local)).toMatchObject({
      draft: { scheme: 'x-api-key' },
    })
  })

  it('gives clouds their region and project, and others none', () => {
    expect(problem({}, vertex)).toEqual({ region: 'This cloud needs it.', project: 'This cloud needs it.' })
    expect(draft({ ...newProfile(vertex, none), region: 'eu', project: 'p' }, vertex)).toEqual({
      draft: { name: 'vertex', preset: 'vertex', region: 'eu', project: 'p' },
    })
    expect(draft({ ...other, region: 'eu' })).not.toHaveProperty('draft.region')
    expect(problem({ kind: 'foundry', address: '' })).toEqual({ resource: 'Enter a resource or an address.' })
  })

  it.each([
    ['no name', { name: ' ' }, 'name'],
    ['a name with a slash', { name: 'a/b' }, 'name'],
    ['the name of the demo', { name: 'demo' }, 'name'],
    ['no address', { address: '' }, 'address'],
    ['an address without a protocol', { address: 'localhost:11434' }, 'address'],
    ['another protocol', { address: 'ftp://host' }, 'address'],
    ['an address with a space', { address: 'http:// host' }, 'address'],
    ['no variable', { place: 'env' }, 'env'],
    ['a variable with a sign', { place: 'env', env: 'MY-KEY' }, 'env'],
    ['no command', { place: 'command', command: ' ' }, 'command'],
    ['no whole number', { concurrency: '2.5' }, 'concurrency'],
    ['none at a time', { concurrency: '0' }, 'concurrency'],
    ['a header without a colon', { headers: 'X: 1\nno header' }, 'headers'],
  ] as const)('is refused with words for %s', (_, changes, field) => {
    expect(Object.keys(problem(changes) ?? {})).toEqual([field])
  })

  it('is refused for the name of another profile', () => {
    expect(problem({ name: 'gate' }, undefined, new Set(['gate']))).toEqual({
      name: 'There is a profile gate already. Choose another name.',
    })
  })

  it('is the same for a profile that was opened and not changed', () => {
    const view = {
      ...{ name: 'mine', kind: 'openai', preset: null, scheme: 'x-api-key' },
      own: {
        ...{
          kind: 'openai',
          address: 'https://a.example',
          scheme: 'x-api-key',
          command: 'pass show x',
          concurrency: 2,
        },
        ...{ headers: { A: '1', B: '2' }, thoughts: 'all' },
      },
    } as unknown as ProfileView
    expect(draft(formOf(view))).toEqual({
      draft: {
        ...{ name: 'mine', kind: 'openai', baseUrl: 'https://a.example', scheme: 'x-api-key', command: 'pass show x' },
        ...{ concurrency: 2, headers: { A: '1', B: '2' }, thoughts: 'all' },
      },
    })
  })
})

describe('the name of a new profile', () => {
  it('is free', () => {
    expect(freeName('gate', none)).toBe('gate')
    expect(freeName('gate', new Set(['gate', 'gate-2']))).toBe('gate-3')
  })
})
