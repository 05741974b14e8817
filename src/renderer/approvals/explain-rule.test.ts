import { expect, it } from 'vitest'
import { explainRule } from './explain-rule.ts'

it('says what a rule about effects keeps, and nothing of other rules', () => {
  expect(explainRule('Effects(src/**, docs/{a,b}.md, ≤ 20 files, no deletions)')).toBe(
    'Keeps by itself what a command did if it changed only src/**, docs/{a,b}.md, at most 20 files and deleted nothing.',
  )
  expect(explainRule('Effects(≤ 1 file)')).toBe('Keeps by itself what a command did if it changed at most 1 file.')
  expect(explainRule('effects()')).toBe('Keeps by itself whatever a command did.')
  expect(explainRule('Effects(no changes)')).toMatch(/changed no file/)
  expect(explainRule('execute(npm test)')).toBeNull()
})
