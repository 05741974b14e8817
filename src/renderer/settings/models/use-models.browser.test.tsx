import { expect, it } from 'vitest'
import { serverName } from './use-models.ts'

it('takes the profile off the name of a model, once, and leaves what is the own name of a server', () => {
  expect(serverName({ name: 'gate', usual: false }, 'gate/meta/llama3:8b')).toBe('meta/llama3:8b')
  expect(serverName({ name: 'gate', usual: true }, 'gate/gate/x')).toBe('gate/x')
  expect(serverName({ name: 'anthropic', usual: true }, 'claude-x')).toBe('claude-x')
  expect(serverName({ name: 'anthropic', usual: true }, 'anthropic/claude-x')).toBe('anthropic/claude-x')
  expect(serverName({ name: 'anthropic', usual: false }, 'anthropic/claude-x')).toBe('claude-x')
})
