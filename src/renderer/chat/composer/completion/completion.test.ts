import { describe, expect, it } from 'vitest'
import { complete, completionAt, textWithoutCommand } from './completion.ts'

describe('completions', () => {
  it('start at a word that begins with @', () => {
    expect(completionAt('see @src/a', 10)).toEqual({ sign: '@', start: 4, query: 'src/a' })
    expect(completionAt('@', 1)).toEqual({ sign: '@', start: 0, query: '' })
  })

  it('do not start in addresses or after the word', () => {
    expect(completionAt('me@example.com', 14)).toBeNull()
    expect(completionAt('@src/a done', 11)).toBeNull()
  })

  it('are commands only at the very start', () => {
    expect(completionAt('/com', 4)).toEqual({ sign: '/', start: 0, query: 'com' })
    expect([completionAt('see /com', 8), completionAt('/src/a', 6), completionAt('/a b', 4)]).toEqual([
      null,
      null,
      null,
    ])
  })

  it('leave the text behind a chosen command', () => {
    const rest = (text: string, caret: number, name: string) => {
      const command = completionAt(text, caret)
      return command && textWithoutCommand(text, command, name)
    }
    expect(rest('/Fix the bug', 1, 'new')).toBe('Fix the bug')
    expect(rest('/news of the day', 1, 'new')).toBe('news of the day')
    expect(rest('/comp Fix the bug', 5, 'compact')).toBe('Fix the bug')
    expect(rest('/compact', 4, 'compact')).toBe('')
  })

  it('are inserted in place, with the caret after them', () => {
    const text = 'see @sr and go'
    const mention = completionAt(text, 7)
    expect(mention && complete(text, mention, 'src/app.ts')).toEqual({
      text: 'see @src/app.ts  and go',
      caret: 16,
    })
  })
})
