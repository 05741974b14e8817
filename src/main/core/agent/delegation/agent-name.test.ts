import { describe, expect, it } from 'vitest'
import { nameFromTask } from './agent-name.ts'

const free = () => false

describe('the name of an agent without one', () => {
  it.each([
    ['Check tax rounding', 'check-tax-rounding'],
    ['Fix the failing test in src/billing/money.test.ts, then report', 'fix-failing-test-money'],
    ['Convert `/src/pages/page-9.js` to TypeScript', 'convert-page-9-typescript'],
    ['**Audit**: look for secrets. Report each one', 'audit-look-secrets'],
    ['Read notes. Then write a summary', 'read-notes'],
    ['Проверь округление налога', 'проверь-округление-налога'],
    ['subagent_3', 'subagent-3'],
    ['\u202e\u0007 … !!', 'agent'],
    ['', 'agent'],
  ])('is made from the task %j', (task, name) => {
    expect(nameFromTask(task, free)).toBe(name)
  })

  it('is short, also for a task without spaces', () => {
    expect(nameFromTask('x'.repeat(5000), free)).toBe('x'.repeat(32))
    expect(nameFromTask('internationalisation internationalisation', free)).toBe('internationalisation')
  })

  it('gets a number when another agent has it', () => {
    const taken = new Set(['check-tax', 'check-tax-2'])
    expect(nameFromTask('Check tax', (name) => taken.has(name))).toBe('check-tax-3')
  })
})
