import { describe, expect, it } from 'vitest'
import type { MessageId } from '#shared/model/ids.ts'
import { foldEvents, initialState } from '../state/app-state.ts'
import { created, event, replied, threadId } from '../state/test-entries.ts'
import { streamingItem } from './streaming-item.ts'
import { buildTranscript } from './transcript.ts'

describe('a reply while it is written', () => {
  it('has the key of the message that takes its place', () => {
    const state = foldEvents(initialState, [event(1, created), event(2, replied('r', 'Hi'))])
    const thread = state.journal.threads.get(threadId)
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
