import { describe, expect, it } from 'vitest'
import type { RewindPreview } from '#shared/contract/views/branches.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { effectsOf } from './effects.ts'

const nothing: RewindPreview = {
  branches: [],
  messages: { leaving: 0, returning: 0 },
  approvals: 0,
  leaving: [],
  returning: [],
  memories: [],
  applied: [],
  running: false,
}
const much: RewindPreview = {
  ...nothing,
  messages: { leaving: 2, returning: 1 },
  approvals: 1,
  leaving: ['tests', 'docs'],
  memories: [{ name: 'style.md', undo: null }],
  applied: ['/a' as VirtualPath],
  running: true,
}

describe('the effects of a rewind', () => {
  it('are one sentence each', () => {
    expect(effectsOf(nothing, 'both')).toEqual(['This is how things are now.'])
    expect(effectsOf(much, 'both')).toEqual([
      'The agent works. It is stopped first.',
      '2 messages would leave the conversation',
      '1 message would come back',
      '1 approval would no longer wait',
      'Would disappear, because they started later: tests, docs',
      'Stays in the folder, because it was applied since: /a. To take it off the folder as well, undo the apply in History before you rewind.',
    ])
  })

  it('leave out the part that does not go back', () => {
    expect(effectsOf({ ...much, running: false }, 'files')).toEqual([
      'The conversation stays as it is.',
      'Stays in the folder, because it was applied since: /a. To take it off the folder as well, undo the apply in History before you rewind.',
    ])
    expect(effectsOf({ ...much, running: false }, 'conversation')).toEqual([
      '2 messages would leave the conversation',
      '1 message would come back',
      '1 approval would no longer wait',
      'Files stay as they are.',
    ])
  })
})
