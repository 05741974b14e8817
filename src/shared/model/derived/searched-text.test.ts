import { describe, expect, it } from 'vitest'
import type { MessageId, ThreadId } from '../ids.ts'
import { searchedText, snippetOf, wordsOf } from './searched-text.ts'

const marked = (text: string, query: string) =>
  snippetOf(text, wordsOf(query))
    .map((part) => (part.found ? `[${part.text}]` : part.text))
    .join('')

describe('searched text', () => {
  it('is what was said, without notices, thinking and calls', () => {
    const messageId = 'm' as MessageId
    const content = [{ type: 'text', text: 'Hello' }] as const
    const said = (origin: 'person' | 'notice') =>
      searchedText({ type: 'message', message: { role: 'user', messageId, origin, content } })
    expect(said('person')).toEqual({ place: 'messages', text: 'Hello' })
    expect(said('notice')).toBeNull()
    const reply = [{ type: 'thinking', text: 'hmm', signature: '' }, ...content, { type: 'text', text: 'you' }] as const
    expect(
      searchedText({
        type: 'message',
        message: { role: 'assistant', messageId, content: reply, stopReason: 'end_turn' },
      }),
    ).toEqual({ place: 'messages', text: 'Hello\nyou' })
    expect(searchedText({ type: 'thread.copied', from: 'a' as ThreadId, to: 1 })).toBeNull()
  })

  it('ignores case and accents', () => {
    expect(wordsOf('Crème-brûlée, v2 的 _x_')).toEqual(['creme', 'brulee', 'v2', '的', 'x'])
    expect(wordsOf('"*( -')).toEqual([])
  })

  it('is shown around the match', () => {
    expect(marked('Money is rounded.\n\nTwice.', 'round')).toBe('Money is [rounded]. Twice.')
    expect(marked('Un café crème', 'CAFE cr')).toBe('Un [café] [crème]')
    const long = `${'word '.repeat(100)}needle ${'tail '.repeat(100)}`
    expect(marked(long, 'needle')).toMatch(/^…(word )+\[needle\] (tail )+.*…$/)
    expect(marked(long, 'needle').length).toBeLessThan(180)
    expect(marked('short', 'nothing')).toBe('short')
  })

  it('matches a single letter only as a whole word', () => {
    expect(marked('a apple', 'a')).toBe('[a] apple')
  })
})
