import { expect, it } from 'vitest'
import type { Call } from '#shared/model/calls/call.ts'
import type { ToolCallId } from '#shared/model/ids.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { describeCall, describeCalls, describeStep, resultLine } from './tool-labels.ts'

it('names what a call did with a verb and an object', () => {
  expect(describeCall('read_file', { file_path: '/a.ts' })).toEqual({ verb: 'Read', object: '/a.ts' })
  expect(describeCall('move', { from: '/a', to: '/b' })).toEqual({ verb: 'Moved', object: '/a to /b' })
  expect(describeCall('update_todo_status', { todo_index: 0, status: 'in_progress' }).object).toBe('1 to in progress')
  expect(describeCall('merge_subagent', { handle: ['subagent_0', 'subagent_1'] }).object).toBe('subagent_0, subagent_1')
  expect(describeCall('execute', { command: 'npm test\necho hidden' }).object).toBe('npm test')
})

it('shows unknown tools by their own name', () => {
  expect(describeCall('mcp__github__create_issue', {})).toEqual({ verb: 'github', object: 'create_issue' })
  expect(describeCall('something_new', {})).toEqual({ verb: 'something_new', object: '' })
})

const finishedCall = (name: string, text = '', outcome: 'ok' | 'error' = 'ok'): Call => ({
  callId: 'c' as ToolCallId,
  name,
  input: { file_path: '/a.ts', command: 'npm test' },
  state: {
    kind: 'finished',
    result: { outcome, content: [{ type: 'text', text }] },
    ...{ durationMs: 0, how: 'ran' },
  },
  decision: null,
  startedAt: null,
  changedPaths: [],
  derivedFrom: null,
  derived: null,
  remembered: [],
  batch: null,
})

it('says in one line what a step did', () => {
  const read = finishedCall('read_file')
  expect(describeStep([read])).toBe('Read /a.ts')
  expect(describeStep([read, read, finishedCall('execute', 'boom', 'error')])).toBe(
    'Read 2 files · Ran npm test (1 failed)',
  )
  const many = ['read_file', 'ls', 'execute', 'grep', 'glob'].map((name) => finishedCall(name))
  expect(describeStep(many)).toBe('Read /a.ts · Listed /a.ts · Ran npm test · 2 more calls')
  expect(describeStep([])).toBe('Answered without a tool')
})

it('says in one line why a call failed, even from a JSON result', () => {
  const failedCall = (text: string): Call => finishedCall('run_js_code', text, 'error')
  expect(resultLine(failedCall('There is no file.\nUse ls.'))).toBe('There is no file.')
  expect(resultLine(failedCall('{"ok":false,"error":"Error: boom\\n  at 1"}'))).toBe('Error: boom')
  expect(resultLine(failedCall('{"ok":false,"error":{"message":"boom"}}'))).toBe('boom')
  expect(resultLine(failedCall('{ not json'))).toBe('{ not json')
  expect(resultLine(failedCall(''))).toBe('error')
})

it('counts the calls in one line', () => {
  expect(describeCalls('read_file', 14)).toBe('Read 14 files')
  expect(describeCalls('something_new', 2)).toBe('something_new × 2')
  expect(describeCalls('run_js_code', 40)).toBe('Ran JavaScript 40 times')
  expect(describeCalls('mcp__github__create_issue', 3)).toBe('github create_issue 3 times')
})

it('has words for every tool, also for several calls of it', () => {
  for (const name of Object.keys(toolFacts)) {
    expect(describeCall(name, {}).verb, name).toMatch(/^[A-Z]/)
    expect(describeCalls(name, 2), name).not.toContain('×')
  }
})

it('names agents instead of handles, and shows a question without marks', () => {
  const nameOf = (handle: string): string => ({ subagent_0: 'tests' })[handle] ?? handle
  expect(describeCall('merge_subagent', { handle: ['subagent_0', 'subagent_7'] }, nameOf).object).toBe(
    'tests, subagent_7',
  )
  expect(describeCall('ask_user', { question: 'Round **half up** or `floor`?' }).object).toBe('Round half up or floor?')
  const marked = { question: '**Now:** rename `__init__.py`, __main__.py and my__own__name, __or not__, by __all__?' }
  expect(describeCall('ask_user', marked).object).toBe(
    'Now: rename __init__.py, __main__.py and my__own__name, or not, by __all__?',
  )
})
