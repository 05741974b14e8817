import { describe, expect, it } from 'vitest'
import { composerAction } from './composer-keys.ts'

describe('keys of the message box', () => {
  const press = (key: string, held: object = {}): Parameters<typeof composerAction>[0] => ({
    key,
    shiftKey: false,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    isComposing: false,
    ...held,
  })

  it.each([
    ['Enter sends or queues', press('Enter'), true, 'send'],
    ['Mod+Enter steers a running agent', press('Enter', { ctrlKey: true }), true, 'steer'],
    ['Mod+Enter sends when nothing runs', press('Enter', { metaKey: true }), false, 'send'],
    ['Alt+Enter sends and pauses after every step', press('Enter', { altKey: true }), false, 'step'],
    ['Alt+Enter queues during a run, which keeps its own way', press('Enter', { altKey: true }), true, 'send'],
    ['Shift+Enter is a new line', press('Enter', { shiftKey: true }), false, 'none'],
    ['Enter that ends a composition is not a send', press('Enter', { isComposing: true }), false, 'none'],
    ['Esc stops the run', press('Escape'), true, 'stop'],
    ['Esc does nothing when idle', press('Escape'), false, 'none'],
  ])('%s', (_, key, running, action) => {
    expect(composerAction(key, running)).toBe(action)
  })
})
