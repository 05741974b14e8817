import { expect, it } from 'vitest'
import { describeCall, describeCalls } from './tool-words.ts'

it('says what a call did in a verb and an object', () => {
  expect(describeCall('read_file', { file_path: '/a.ts' })).toEqual({ verb: 'Read', object: '/a.ts' })
  expect(describeCall('move', { from: '/a', to: '/b' })).toEqual({ verb: 'Moved', object: '/a to /b' })
  expect(describeCall('update_todo_status', { todo_index: 0, status: 'in_progress' }).object).toBe('1 to in progress')
  expect(describeCall('merge_subagent', { handle: ['subagent_0', 'subagent_1'] }).object).toBe('subagent_0, subagent_1')
  expect(describeCall('execute', { command: 'npm test\necho hidden' }).object).toBe('npm test')
})

it('names tools it has never heard of by what they are', () => {
  expect(describeCall('mcp__github__create_issue', {})).toEqual({ verb: 'github', object: 'create_issue' })
  expect(describeCall('something_new', {})).toEqual({ verb: 'something_new', object: '' })
})

it('counts folded calls', () => {
  expect(describeCalls('read_file', 14)).toBe('Read 14 files')
  expect(describeCalls('something_new', 2)).toBe('something_new × 2')
})
