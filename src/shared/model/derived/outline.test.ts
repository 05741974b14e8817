import { describe, expect, it } from 'vitest'
import type { Entry, EntryBody } from '../entry.ts'
import { createReplay } from '../fold/project.ts'
import type { BranchId, Handle, InterruptId, MessageId, ThreadId, ToolCallId } from '../ids.ts'
import { emptyProject, rootThreadOf } from '../project-state.ts'
import { outlineOf, outlineThread, stateOf } from './outline.ts'

const id = (name: string) => name as ThreadId
const callId = (name: string) => name as ToolCallId
type Step = readonly [ThreadId, EntryBody]

function created(name: string, parent: string | null = null): Step {
  const link = parent && {
    threadId: id(parent),
    callId: callId('spawn'),
    handle: name as Handle,
    index: 0,
    task: '',
    todoIndex: null,
  }
  const thread = { agent: name, agentType: 'main', title: name, branchId: name as BranchId, depth: parent ? 1 : 0 }
  const settings = { model: 'm', approvalMode: 'ask', contextScope: 'strict' } as const
  return [id(name), { type: 'thread.created', ...thread, ...settings, parent: link || null }]
}

function replied(name: string, number: number): Step {
  const messageId = `${name}-${number}` as MessageId
  const content = [
    { type: 'tool_call', callId: callId(`${name}-call-${number}`), name: 'write_file', input: {} },
  ] as const
  return [id(name), { type: 'message', message: { role: 'assistant', messageId, content, stopReason: 'tool_use' } }]
}

function asked(name: string, call: string): Step {
  const request = {
    callId: callId(call),
    name: 'write_file',
    args: {},
    description: '',
    rule: '',
    risk: 'low',
  } as const
  const interrupt = { id: `of-${call}` as InterruptId, threadId: id(name), agent: name, review_configs: [] }
  return [id(name), { type: 'interrupt.raised', interrupt: { ...interrupt, action_requests: [request] } }]
}

function folded(steps: readonly Step[]) {
  const entries = steps.map(([threadId, body], at) => ({ ...body, threadId, sequence: at + 1, at: at * 1000 }) as Entry)
  return entries.reduce(createReplay(), emptyProject)
}

const long = Array.from({ length: 100 }, (_, number) => replied('long', number))
const state = folded([
  created('old'),
  ...[0, 1].map((number) => replied('old', number)),
  created('helper', 'old'),
  created('below', 'helper'),
  replied('below', 0),
  asked('below', 'below-call-0'),
  created('idle', 'old'),
  created('gone'),
  [id('gone'), { type: 'thread.deleted' }],
  created('long'),
  ...long,
])

const roots = [...state.threads.values()].filter(({ parent }) => parent === null)
const families = new Map(
  roots.map((thread) => [
    thread.id,
    { root: outlineThread(thread, false), spending: null, isActive: thread.id === id('old') },
  ]),
)

describe('the outline of a project', () => {
  it("has every root thread, and a waiting call's thread with all threads above it", () => {
    const { threads, last } = outlineOf(state, families, null)
    expect(threads.map((thread) => thread.id).toSorted()).toEqual(['below', 'gone', 'helper', 'long', 'old'])
    expect(last).toBe(state.sequence)
  })

  it('has the end of the most recently changed conversation, with its calls, and of no other', () => {
    const shown = stateOf(outlineOf(state, families, null))
    const thread = shown.threads.get(id('long'))
    expect(thread?.messages).toEqual(state.threads.get(id('long'))?.messages.slice(-40))
    expect(thread?.calls.get(callId('long-call-99'))).toEqual(
      state.threads.get(id('long'))?.calls.get(callId('long-call-99')),
    )
    expect(thread?.calls.get(callId('long-call-9'))).toBeUndefined()
    expect(shown.threads.get(id('old'))?.messages).toEqual([])
  })

  it('has the end of the requested conversation, even of a subagent', () => {
    expect(stateOf(outlineOf(state, families, id('idle'))).threads.has(id('idle'))).toBe(true)
    expect(stateOf(outlineOf(state, families, id('old'))).threads.get(id('old'))?.messages).toHaveLength(2)
  })

  it('lets a person answer a waiting call', () => {
    const shown = stateOf(outlineOf(state, families, null))
    const below = shown.threads.get(id('below'))
    expect(below?.interrupts).toEqual(state.threads.get(id('below'))?.interrupts)
    expect(below?.calls.get(callId('below-call-0'))?.state.kind).toBe('asking')
    expect(rootThreadOf(shown, id('below'))).toBe('old')
    expect(shown.children.get(id('helper'))).toEqual(['below'])
  })

  it('names the families that a page reads at once: the shown one, and the active ones', () => {
    expect(outlineOf(state, families, null).read).toEqual(['long', 'old'])
    expect(outlineOf(state, families, id('below')).read).toEqual(['old'])
  })

  it('stands for all entries up to its own', () => {
    expect(stateOf(outlineOf(state, families, null)).sequence).toBe(state.sequence)
  })

  it('tells everything of a listed thread but its conversation, without what most threads have in common', () => {
    const outline = outlineOf(state, families, null)
    const listed = outline.threads.find((thread) => thread.id === id('gone'))
    expect(JSON.stringify(listed).length).toBeLessThan(350)
    const { threads } = stateOf(outline)
    expect(threads.get(id('gone'))).toEqual(state.threads.get(id('gone')))
    expect(threads.get(id('below'))).toEqual({ ...state.threads.get(id('below')), messages: [] })
  })

  it('survives a round trip through JSON', () => {
    const sent = outlineOf(state, families, null)
    expect(JSON.parse(JSON.stringify(sent))).toEqual(sent)
  })
})
