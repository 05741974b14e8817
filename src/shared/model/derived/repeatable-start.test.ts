import { describe, expect, it } from 'vitest'
import type { EntryDraft } from '../entry.ts'
import type { BranchId, Handle, MessageId, ThreadId, ToolCallId } from '../ids.ts'
import type { ParentLink } from '../thread.ts'
import { rootPath } from '../virtual-path.ts'
import { areRepeatableStarts } from './repeatable-start.ts'

const [root, child] = ['root' as ThreadId, 'child' as ThreadId]
const branchId = 'branch' as BranchId
const callId = 'call' as ToolCallId
const started = { type: 'tool.started', threadId: root, callId, name: 'read_file', input: {} } as const

const link: ParentLink = {
  ...{ threadId: root, callId, handle: 'subagent_0' as Handle, index: 0, task: 'Look.', todoIndex: null },
}

function created(parent: ParentLink | null): EntryDraft {
  return {
    ...{ type: 'thread.created', threadId: child, agent: 'a', agentType: 'general-purpose', title: 't', branchId },
    ...{ parent, depth: 1, model: 'm', approvalMode: 'auto', contextScope: 'strict' },
  }
}

const forked: EntryDraft = {
  ...{ type: 'branch.forked', threadId: root, branchId, parentId: 'main' as BranchId, ownerThreadId: child },
  ...{ handle: 'subagent_0' as Handle, name: 'a' },
}

function said(origin: 'parent' | 'person'): EntryDraft {
  const content = [{ type: 'text', text: 'Look.' }] as const
  return { type: 'message', threadId: child, message: { role: 'user', messageId: 'm' as MessageId, origin, content } }
}

describe('calls that start', () => {
  it('can start again when nothing outside can know of them', () => {
    expect(areRepeatableStarts([started, started])).toBe(true)
    expect(areRepeatableStarts([started, { ...started, outside: true }])).toBe(false)
    expect(areRepeatableStarts([{ ...started, holds: true }])).toBe(false)
  })

  it('are not what a reply or an end is', () => {
    expect(areRepeatableStarts([started, said('person')])).toBe(false)
    expect(areRepeatableStarts([started, { type: 'run.started', threadId: root }])).toBe(false)
  })
})

describe('subagents that start', () => {
  it('are forked again by their call', () => {
    expect(areRepeatableStarts([created(link), forked, said('parent')])).toBe(true)
  })

  it('stay when a person asked for them', () => {
    const resolves = { branchId, path: rootPath }
    expect(areRepeatableStarts([created({ ...link, resolves }), forked, said('parent')])).toBe(false)
  })

  it('are not a thread of a person, a copy of a branch, or words alone', () => {
    expect(areRepeatableStarts([created(null), said('person')])).toBe(false)
    expect(areRepeatableStarts([created(link), forked, said('person')])).toBe(false)
    expect(areRepeatableStarts([forked])).toBe(false)
    expect(areRepeatableStarts([said('parent')])).toBe(false)
  })
})
