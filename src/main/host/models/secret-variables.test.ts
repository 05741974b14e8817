import { describe, expect, it } from 'vitest'
import { readProfiles } from './profiles.ts'
import { secretVariables } from './secret-variables.ts'

const named = (text: string) => {
  const providers = { or: { preset: 'openrouter', auth: { key: 'shared' } } }
  const profiles = readProfiles({ baseUrl: null, providers, defaultProvider: null }, {})
  return secretVariables(profiles, [text])
}

describe('the variables that hold keys', () => {
  it('are those of all presets and of the maker, whichever profiles there are', () => {
    const names = named('{}')
    for (const name of [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'OPENROUTER_API_KEY',
      'OPENAI_API_KEY',
      'ZAI_API_KEY',
    ])
      expect(names).toContain(name)
    expect(names).not.toContain('PATH')
  })

  it.each([
    ['that is refused', '{ "providers": { "bad": { "preset": "nope", "auth": { "env": "BAD_KEY" } } } }'],
    ['with a mistake in it', '{ "providers": { "bad": { "base_url": 7, "auth": { "env": "BAD_KEY", "x": 1 } } } }'],
    ['whose variable stands elsewhere', '{ "providers": { "bad": { "env": "BAD_KEY" } } }'],
    ['in a file that is cut off', '{ "providers": { "bad": { "auth": { "env": "BAD_KEY" }, "models": {'],
    ['behind a comment', '{ // of mine\n "providers": { "bad": { "auth": { "env": "BAD_KEY" } } } }'],
  ])('are also those of a profile %s', (_, text) => {
    expect(named(text)).toContain('BAD_KEY')
  })

  it('are only read where profiles stand', () => {
    expect(named('{ "mcp_servers": { "x": { "env": "PATH" } }, "providers": 7 }')).not.toContain('PATH')
  })

  it('are those of a cloud when a profile asks it', () => {
    expect(named('{}')).not.toContain('AWS_SECRET_ACCESS_KEY')
    const of = (kind: string) => named(`{ "providers": { "c": { "kind": "${kind}" } } }`)
    expect(of('bedrock')).toContain('AWS_SECRET_ACCESS_KEY')
    expect(of('bedrock')).toContain('AWS_BEARER_TOKEN_BEDROCK')
    expect(of('vertex')).toContain('GOOGLE_APPLICATION_CREDENTIALS')
    expect(of('foundry')).toContain('AZURE_CLIENT_SECRET')
    expect(named('{ "providers": { "c": { "preset": "bedrock" } } }')).toContain('AWS_SESSION_TOKEN')
  })
})
