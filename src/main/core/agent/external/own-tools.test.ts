import { expect, it } from 'vitest'
import { externalKinds } from '../../ports/programs/external-agent.ts'
import { isOwnTool } from './own-tools.ts'

const call = { id: '1', status: 'pending', paths: [], input: {}, output: '' } as const

it.each([
  ['mcp__coppice__spawn_subagents', true],
  ['coppice_merge_subagent', true],
  ['mcp__coppice__execute', false],
  ['coppice', false],
  ['rm -rf / # mcp__coppice__task', false],
  ['mcp__other__task', false],
  ['mcp__coppice__task_and_more', false],
])('knows a call of our tools by its name: %s', (title, isOwn) => {
  expect(isOwnTool({ ...call, title, kind: 'other' })).toBe(isOwn)
})

it('believes that of no call that reads, changes or runs something', () => {
  for (const kind of externalKinds.filter((one) => one !== 'other'))
    expect(isOwnTool({ ...call, title: 'mcp__coppice__task', kind })).toBe(false)
})
