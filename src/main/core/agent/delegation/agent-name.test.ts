import { describe, expect, it } from 'vitest'
import { parentOf, threadCreated } from '#shared/model/entry-bodies.testkit.ts'
import { fold } from '#shared/model/fold/project.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { emptyProject, type ProjectState } from '#shared/model/project-state.ts'
import { createFamilyNames, nameFromTask } from './agent-name.ts'

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

describe('the names of a family', () => {
  const withAgent = (state: ProjectState, id: string, agent: string, parent: string | null): ProjectState =>
    fold(state, {
      ...threadCreated(id as BranchId, {
        agent,
        parent: parent === null ? null : parentOf(parent as ThreadId, agent),
      }),
      threadId: id as ThreadId,
      sequence: state.sequence + 1,
      at: 0,
    })

  it('include agents at any depth that came since the last question, and no other family', () => {
    const before = withAgent(withAgent(emptyProject, 'root', 'main', null), 'other', 'stranger', null)
    const names = createFamilyNames('root' as ThreadId)
    expect([...names(before)]).toEqual(['main'])
    const child = withAgent(withAgent(before, 'child', 'reader', 'root'), 'guest', 'visitor', 'other')
    expect([...names(child)]).toEqual(['main', 'reader'])
    const deep = withAgent(withAgent(child, 'deep', 'writer', 'child'), 'next', 'tester', 'root')
    expect(new Set(names(deep))).toEqual(new Set(['main', 'reader', 'writer', 'tester']))
  })

  it('begin with the root, whoever asks', () => {
    const state = withAgent(withAgent(emptyProject, 'root', 'main', null), 'child', 'reader', 'root')
    expect([...createFamilyNames('child' as ThreadId)(state)]).toEqual(['main', 'reader'])
  })
})
