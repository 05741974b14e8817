import { describe, expect, it } from 'vitest'
import type { InterruptId } from '#shared/model/ids.ts'
import { type ActionRequest, type Interrupt, unknownOutcomeDecisions } from '#shared/model/interrupt.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { callId, threadId } from '../state/store/entries.testkit.ts'
import { onePressOf } from './one-press.ts'

const command: ActionRequest = {
  callId: callId('c1'),
  name: 'execute',
  args: { command: 'npm test', timeout: 60 },
  description: '',
  rule: '',
  risk: 'low',
}

describe('a notification', () => {
  const of = (...requests: readonly ActionRequest[]): Interrupt => ({
    id: 'i' as InterruptId,
    threadId,
    agent: 'main',
    action_requests: requests,
    review_configs: requests.map(({ callId: id, name }) => ({
      callId: id,
      action_name: name,
      allowed_decisions: ['approve', 'reject'],
    })),
  })

  it('offers to approve a single call of low risk', () => {
    expect(onePressOf(of(command))).toEqual({ type: 'approve', callId: 'c1' })
  })

  it('offers nothing for what a person has to look at', () => {
    expect(onePressOf(of(command, { ...command, callId: callId('c2') }))).toBeNull()
    expect(onePressOf(of({ ...command, risk: 'medium' }))).toBeNull()
    expect(onePressOf(of({ ...command, risk: 'high' }))).toBeNull()
    expect(onePressOf(of({ ...command, scripts: ['/package.json' as VirtualPath] }))).toBeNull()
    expect(onePressOf(of({ ...command, args: { command: 'npm tеst' } }))).toBeNull()
    expect(onePressOf(of())).toBeNull()
  })

  it('offers nothing for a call that may not be approved, a question, or an unknown outcome', () => {
    for (const allowed_decisions of [['reject'], ['respond', 'approve'], unknownOutcomeDecisions] as const) {
      const interrupt = of(command)
      const configs = interrupt.review_configs.map((config) => ({
        ...config,
        allowed_decisions: [...allowed_decisions],
      }))
      expect(onePressOf({ ...interrupt, review_configs: configs })).toBeNull()
    }
  })
})
