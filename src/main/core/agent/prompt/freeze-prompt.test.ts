import { expect, it } from 'vitest'
import type { PreparedPrompt } from './freeze-prompt.ts'
import { promptChanges } from './freeze-prompt.ts'

const prompt = (sections: PreparedPrompt['sections'], ...tools: readonly string[]): PreparedPrompt => ({
  sections,
  tools: tools.map((name) => ({ name, description: '', inputSchema: {} })),
})

it('tells changed instructions whole, and names tools that came and went', () => {
  const before = prompt([{ part: 'instructions', text: 'Use tabs.' }], 'ls', 'mcp__a__b')
  const after = prompt([{ part: 'instructions', text: 'Use spaces.' }], 'ls', 'mcp__c__d')
  const told = promptChanges(before, after) ?? ''
  expect(told).toContain('The instructions changed. They now are:\n\nUse spaces.')
  expect(told).toContain('can no longer be called: mcp__a__b.')
  expect(told).toContain('start from now on: mcp__c__d.')
  expect(promptChanges(before, prompt([], 'ls', 'mcp__a__b'))).toBe('The instructions you were given no longer hold.')
})

it('does not tell what the agent wrote into the memories itself', () => {
  expect(promptChanges(prompt([{ part: 'memory', text: 'a' }]), prompt([{ part: 'memory', text: 'b' }]))).toBeNull()
})
