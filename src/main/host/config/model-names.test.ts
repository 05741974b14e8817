import { describe, expect, it } from 'vitest'
import { resolveModelName } from './model-names.ts'

describe('the name of a model', () => {
  it.each([
    ['claude-sonnet-5', null, 'claude-sonnet-5'],
    ['anthropic:claude-sonnet-5', null, 'claude-sonnet-5'],
    ['llama3:8b', 'http://localhost:11434', 'llama3:8b'],
    ['qwen2.5-coder:7b', null, 'qwen2.5-coder:7b'],
    ['openai:', null, 'openai:'],
    [':x', null, ':x'],
  ])('%s at %s is %s', (given, baseUrl, model) => {
    expect(resolveModelName(given, baseUrl)).toEqual({ ok: true, value: model })
  })

  it.each([
    ['openai:gpt-5', null, 'only the Anthropic API is configured'],
    ['ollama:llama3:8b', null, 'asks for the provider ollama'],
    ['anthropic:claude-sonnet-5', 'http://localhost:1', 'only the server at http://localhost:1 is configured'],
  ])('%s at %s is refused, with what is configured', (given, baseUrl, message) => {
    const found = resolveModelName(given, baseUrl)
    expect(found.ok ? '' : found.error).toContain(message)
  })
})
