import { describe, expect, it } from 'vitest'
import { commandOf, type KeyPress } from './keymap.ts'

function press(key: string, held: Partial<KeyPress> = {}): KeyPress {
  return { key, code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held }
}

describe('keyboard map', () => {
  it('reads Mod as Control, and as Command on a Mac', () => {
    expect(commandOf(press('k', { ctrlKey: true }), false, false)).toBe('palette')
    expect(commandOf(press('k', { metaKey: true }), true, false)).toBe('palette')
    expect(commandOf(press('k', { ctrlKey: true }), true, false)).toBeNull()
  })

  it('distinguishes combinations of the same key', () => {
    expect(commandOf(press('b', { ctrlKey: true }), false, false)).toBe('sidebar')
    expect(commandOf(press('b', { ctrlKey: true, altKey: true }), false, false)).toBe('inspector')
    expect(commandOf(press('F8'), false, false)).toBe('nextApproval')
    expect(commandOf(press('F8', { shiftKey: true }), false, false)).toBe('previousApproval')
  })

  it('recognises a letter by its key when Alt turned it into another character', () => {
    expect(commandOf(press('˜', { code: 'KeyN', metaKey: true, altKey: true }), true, false)).toBe('newThread')
  })

  it('does not act on a question mark in typed text', () => {
    expect(commandOf(press('?', { shiftKey: true }), false, false)).toBe('keys')
    expect(commandOf(press('?', { shiftKey: true }), false, true)).toBeNull()
  })
})
