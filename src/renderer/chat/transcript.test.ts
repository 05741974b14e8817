import { describe, expect, it } from 'vitest'
import type { EntryBody } from '#shared/model/entry.ts'
import type { InterruptId, MessageId } from '#shared/model/ids.ts'
import { formatAnswerNote } from '#shared/model/messages/message-notes.ts'
import { foldEvents, initialState } from '../state/store/app-state.ts'
import { agentReply, callId, created, event, threadId, userMessage } from '../state/store/entries.testkit.ts'
import { buildTranscript, streamingItem, type TranscriptItem } from './transcript.ts'

function transcript(...bodies: readonly EntryBody[]): readonly TranscriptItem[] {
  const state = foldEvents(
    initialState,
    [created, ...bodies].map((body, index) => event(index + 1, body)),
  )
  const thread = state.project.threads.get(threadId)
  return thread ? buildTranscript(thread, state.timeline.ends.get(threadId) ?? [], new Map()) : []
}

const shape = (items: readonly TranscriptItem[]): readonly string[] =>
  items.map((item) => (item.kind === 'calls' ? `${item.calls.length} ${item.calls[0]?.name}` : item.kind))

function interruptFor(...ids: readonly string[]): EntryBody {
  return {
    type: 'interrupt.raised',
    interrupt: {
      id: 'i1' as InterruptId,
      threadId,
      agent: 'main',
      action_requests: ids.map((id) => ({
        callId: callId(id),
        name: 'execute',
        args: {},
        description: '',
        rule: '',
        risk: 'low' as const,
      })),
      review_configs: [],
    },
  }
}

const ended: EntryBody = { type: 'run.ended', status: 'done', reason: 'completed', message: '' }

describe('transcript', () => {
  it('says where another model took over, and which one spoke from then on', () => {
    const by = (body: EntryBody, model: string): EntryBody =>
      body.type === 'message' && body.message.role === 'assistant'
        ? { ...body, message: { ...body.message, model } }
        : body
    const items = transcript(
      userMessage('u', 'go'),
      by(agentReply('m1', 'I look.', ['a', 'ls']), 'demo'),
      { type: 'model.fell_back', from: 'demo', to: 'gate/m2', reason: 'Overloaded' },
      by(agentReply('m2', 'Done.'), 'gate/m2'),
      ended,
      agentReply('m3', 'From before models were kept.'),
    )
    expect(shape(items)).toEqual(['user', 'text', '1 ls', 'fallback', 'text', 'end', 'text'])
    expect(items.flatMap((item) => (item.kind === 'text' ? [[item.model, item.continues]] : []))).toEqual([
      [null, false],
      ['gate/m2', false],
      [null, false],
    ])
    expect(items[3]).toMatchObject({ fallback: { from: 'demo', model: 'gate/m2', reason: 'Overloaded' } })
  })

  it('marks the answers to messages that asked for a structure, until one does not', () => {
    const asked = `List them.${formatAnswerNote({ type: 'array' })}`
    const items = transcript(
      userMessage('u1', asked),
      agentReply('m1', 'I look.', ['a', 'ls']),
      agentReply('m2', '[1]'),
      userMessage('u2', 'In words'),
      agentReply('m3', 'One.'),
    )
    const answers = items.flatMap((item) => (item.kind === 'text' ? [item.answer] : []))
    expect(answers).toEqual([null, 'm2', null])
  })

  it('numbers the pauses after steps, with the calls of each step', () => {
    const paused: EntryBody = { type: 'run.ended', status: 'interrupted', reason: 'step', message: '' }
    const items = transcript(
      userMessage('u', 'Go'),
      agentReply('m1', '', ['a', 'ls']),
      paused,
      agentReply('m2', '', ['b', 'grep'], ['c', 'glob']),
      paused,
    )
    const steps = items.flatMap((item) =>
      item.kind === 'step' ? [`${item.step} ${item.last} ${item.calls.map(({ name }) => name)}`] : [],
    )
    expect(steps).toEqual(['1 false ls', '2 true grep,glob'])
  })

  it('shows a call that the loop derives right after the call it comes from', () => {
    const derived: EntryBody = {
      type: 'call.derived',
      callId: callId('d'),
      from: callId('a'),
      name: 'batch_task',
      input: { tasks: [] },
    }
    const items = transcript(userMessage('u', 'go'), agentReply('m', '', ['a', 'execute'], ['b', 'ls']), derived)
    expect(shape(items)).toEqual(['user', '1 execute', '1 batch_task', '1 ls'])
  })

  it('folds consecutive calls of one tool, also across messages without text', () => {
    const items = transcript(
      userMessage('u', 'go'),
      agentReply('a', 'Reading', ['1', 'read_file'], ['2', 'read_file']),
      agentReply('b', '', ['3', 'read_file']),
      agentReply('c', '', ['4', 'grep'], ['5', 'read_file']),
    )
    expect(shape(items)).toEqual(['user', 'text', '3 read_file', '1 grep', '1 read_file'])
  })

  it('names the agent again only after somebody else speaks or a run ends', () => {
    const items = transcript(
      userMessage('u', 'go'),
      agentReply('a', 'One'),
      agentReply('b', 'Two', ['1', 'ls']),
      agentReply('c', 'Three'),
      ended,
      userMessage('v', 'more'),
      agentReply('d', 'Four'),
    )
    const continues = items.flatMap((item) => (item.kind === 'text' ? [item.continues] : []))
    expect(continues).toEqual([false, true, true, false])
  })

  it('does not fold across text', () => {
    const items = transcript(agentReply('a', '', ['1', 'ls']), agentReply('b', 'Now here', ['2', 'ls']))
    expect(shape(items)).toEqual(['1 ls', 'text', '1 ls'])
  })

  it('shows waiting calls once, as their interrupt, in place of the first', () => {
    const items = transcript(
      agentReply('a', '', ['1', 'execute'], ['2', 'ls'], ['3', 'execute']),
      interruptFor('1', '3'),
    )
    expect(shape(items)).toEqual(['approvals', '1 ls'])
  })

  it('shows a decided call as a call while the others still wait', () => {
    const decision = { type: 'approve', callId: callId('1') } as const
    const items = transcript(agentReply('a', '', ['1', 'execute'], ['2', 'execute']), interruptFor('1', '2'), {
      type: 'interrupt.decided',
      interruptId: 'i1' as InterruptId,
      decision,
    })
    expect(shape(items)).toEqual(['1 execute', 'approvals'])
  })

  it('shows the end of each run in its place, and marks only the last as last', () => {
    const items = transcript(
      { type: 'run.started' },
      userMessage('u', 'one'),
      ended,
      { type: 'run.started' },
      userMessage('v', 'two'),
      ended,
    )
    expect(shape(items)).toEqual(['user', 'end', 'user', 'end'])
    expect(items.map((item) => item.kind === 'end' && item.last)).toEqual([false, false, false, true])
  })

  it('has no end card for a run that waits for a decision', () => {
    const waiting: EntryBody = { type: 'run.ended', status: 'interrupted', reason: 'interrupt', message: '' }
    expect(shape(transcript({ type: 'run.started' }, userMessage('u', 'one'), waiting))).toEqual(['user'])
  })

  it('shows a rewind where the conversation goes on, without the ends it removed', () => {
    const rewound: EntryBody = { type: 'rewound', to: 5, files: null, conversation: true, undoes: null }
    const story = [
      { type: 'run.started' } as const,
      userMessage('u1', 'go'),
      agentReply('a1', 'done'),
      ended,
      userMessage('u2', 'more'),
      agentReply('a2', 'oh'),
      ended,
    ]
    const items = transcript(...story, rewound)
    expect(shape(items)).toEqual(['user', 'text', 'end', 'rewind'])
    const redone = transcript(...story, rewound, { ...rewound, to: 8, undoes: 9 })
    expect(shape(redone)).toEqual(['user', 'text', 'end', 'user', 'text', 'end', 'rewind'])
  })
})

describe('a reply while it is being written', () => {
  it('has the key of the message that takes its place', () => {
    const state = foldEvents(initialState, [event(1, created), event(2, agentReply('r', 'Hi'))])
    const thread = state.project.threads.get(threadId)
    const message = thread?.messages[0]
    if (!thread || !message) throw new Error('No message was folded')
    const { messageId } = message
    const item = streamingItem({ messageId, text: 'H', thinking: '' }, false)
    expect(item).toMatchObject({ kind: 'writing', key: buildTranscript(thread, [], new Map())[0]?.key })
  })

  it('shows thinking until something is said', () => {
    const messageId = 'm' as MessageId
    expect(streamingItem({ messageId, text: '\n', thinking: 'Hm' }, true).kind).toBe('pondering')
    expect(streamingItem({ messageId, text: 'Yes', thinking: 'Hm' }, true)).toMatchObject({ key: 'm-1' })
  })
})
