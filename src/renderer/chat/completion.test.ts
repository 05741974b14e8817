import { describe, expect, it } from 'vitest'
import { complete, completionAt, composerAction } from './completion.ts'

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

  it('are inserted in place, with the caret after them', () => {
    const text = 'see @sr and go'
    const mention = completionAt(text, 7)
    expect(mention && complete(text, mention, 'src/app.ts')).toEqual({
      text: 'see @src/app.ts  and go',
      caret: 16,
    })
  })
})

describe('keys of the message box', () => {
  const press = (key: string, held: object = {}): Parameters<typeof composerAction>[0] => ({
    key,
    shiftKey: false,
    ctrlKey: false,
    metaKey: false,
    isComposing: false,
    ...held,
  })

  it.each([
    ['Enter sends or queues', press('Enter'), true, 'send'],
    ['Mod+Enter steers a running agent', press('Enter', { ctrlKey: true }), true, 'steer'],
    ['Mod+Enter sends when nothing runs', press('Enter', { metaKey: true }), false, 'send'],
    ['Shift+Enter is a new line', press('Enter', { shiftKey: true }), false, 'none'],
    ['Enter that ends a composition is not a send', press('Enter', { isComposing: true }), false, 'none'],
    ['Esc stops what runs', press('Escape'), true, 'stop'],
    ['Esc does nothing when idle', press('Escape'), false, 'none'],
  ])('%s', (_, key, running, action) => {
    expect(composerAction(key, running)).toBe(action)
  })
})
