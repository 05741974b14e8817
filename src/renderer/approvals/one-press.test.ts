import { describe, expect, it } from 'vitest'
import { type ActionRequest, type Interrupt, unknownEndDecisions } from '#shared/model/calls/interrupt.ts'
import type { InterruptId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { callId, threadId } from '../state/store/entries.testkit.ts'
import { noticeBodyOf, onePressOf } from './one-press.ts'

const call: ActionRequest = {
  callId: callId('c1'),
  name: 'write_file',
  args: { file_path: '/a.txt', content: 'hello' },
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
    expect(onePressOf(of(call))).toEqual({ type: 'approve', callId: 'c1' })
  })

  it('shows the whole call that it offers to approve', () => {
    expect(noticeBodyOf(of(call))).toBe('write_file {"file_path":"/a.txt","content":"hello"}')
    expect(onePressOf(of({ ...call, args: { file_path: '/a.txt', content: 'x'.repeat(200) } }))).toBeNull()
  })

  it('says of a run in the sandbox that it is over, and keeps nothing by one press', () => {
    const effects = {
      ...{ exit_code: 0, output: '', changes: { written: [], deleted: [], renamed: [] }, hosts_refused: [] },
      ...{ duration_ms: 1, ignored_changes: 0, secrets: [] },
    }
    const tried = { ...call, name: 'execute', args: { command: 'npm test\nmore' }, effects }
    expect(noticeBodyOf(of(tried))).toBe('It ran a command. Look at what it did: npm test')
    expect(onePressOf(of(tried))).toBeNull()
  })

  it('offers to keep a change of a file that was tried as its arguments say, and never code', () => {
    const changes = { written: ['/a.txt' as VirtualPath], deleted: [], renamed: [] }
    const effects = {
      ...{ exit_code: null, output: 'Wrote /a.txt.', changes, hosts_refused: [] },
      ...{ duration_ms: 1, ignored_changes: 0, secrets: [] },
    }
    expect(noticeBodyOf(of({ ...call, effects }))).toBe('write_file {"file_path":"/a.txt","content":"hello"}')
    expect(onePressOf(of({ ...call, effects }))).toEqual({ type: 'approve', callId: 'c1' })
    expect(onePressOf(of({ ...call, name: 'run_js_code', args: { code: '1' }, effects }))).toBeNull()
  })

  it('never offers to approve commands, code and tools of other programs', () => {
    for (const name of [
      'execute',
      'process_input',
      'run_js_code',
      'run_python_code',
      'run_js_file',
      'run_python_file',
      'task',
      'mcp__server__tool',
      'unknown',
    ])
      expect(onePressOf(of({ ...call, name, args: {} })), name).toBeNull()
  })

  it('offers nothing for what a person has to look at', () => {
    expect(onePressOf(of(call, { ...call, callId: callId('c2') }))).toBeNull()
    expect(onePressOf(of({ ...call, risk: 'medium' }))).toBeNull()
    expect(onePressOf(of({ ...call, risk: 'high' }))).toBeNull()
    expect(onePressOf(of({ ...call, scripts: ['/package.json' as VirtualPath] }))).toBeNull()
    expect(onePressOf(of({ ...call, args: { file_path: '/tеst', content: '' } }))).toBeNull()
    expect(onePressOf(of())).toBeNull()
  })

  it('offers nothing for a call that may not be approved, a question, or an unknown outcome', () => {
    for (const allowed_decisions of [['reject'], ['respond', 'approve'], unknownEndDecisions] as const) {
      const interrupt = of(call)
      const configs = interrupt.review_configs.map((config) => ({
        ...config,
        allowed_decisions: [...allowed_decisions],
      }))
      expect(onePressOf({ ...interrupt, review_configs: configs })).toBeNull()
    }
  })
})
