import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ProjectId, ThreadId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { initialUi } from '../store/ui-state.ts'
import { readNotifications, saveNotifications } from './notifications.ts'
import { readChoice, type SavedStorage } from './saved.ts'
import { createLayoutStorage, restoreUiState, saveUiState } from './saved-window.ts'
import { readTheme } from './theme.ts'

const id = 'p1' as ProjectId

/** A storage that holds `saved`, with room for `room` characters. */
function storageWith(saved: Readonly<Record<string, string>> = {}, room = Number.POSITIVE_INFINITY) {
  const kept = new Map(Object.entries(saved))
  const storage: SavedStorage = {
    getItem: (key) => kept.get(key) ?? null,
    removeItem: (key) => void kept.delete(key),
    setItem(key, value) {
      const others = [...kept].filter(([other]) => other !== key).map(([, text]) => text)
      if ([...others, value].join('').length > room) throw new DOMException('full', 'QuotaExceededError')
      kept.set(key, value)
    },
  }
  return { storage, kept }
}

let warnings: string[] = []
beforeEach(() => {
  warnings = []
  vi.spyOn(console, 'warn').mockImplementation((message: string) => void warnings.push(message))
})

describe('saved state of the window', () => {
  it('comes back as it was, with its version', () => {
    const { storage, kept } = storageWith()
    saveNotifications(storage, { needsYou: false, done: true, sounds: false })
    expect(readNotifications(storage)).toEqual({ needsYou: false, done: true, sounds: false })
    expect(JSON.parse(kept.get('coppice-notifications') ?? '')).toMatchObject({ version: 1 })
    const ui = {
      ...initialUi,
      thread: { kind: 'thread', id: 't1' as ThreadId },
      tab: { file: '/a.ts' as VirtualPath },
      openFiles: ['/a.ts' as VirtualPath],
    } as const
    saveUiState(storage, id, ui)
    expect(restoreUiState(storage, id, initialUi)).toEqual(ui)
    expect(warnings).toEqual([])
  })

  it('is still read if it was saved before there were versions', () => {
    const { storage } = storageWith({
      'coppice-notifications': '{"done":true}',
      'coppice-view p1': '{"thread":{"kind":"new"},"tab":"changes","openFiles":["/b.ts"],"branch":null}',
    })
    expect(readNotifications(storage)).toEqual({ needsYou: true, done: true, sounds: true })
    expect(restoreUiState(storage, id, initialUi)).toMatchObject({ tab: 'changes', openFiles: ['/b.ts'] })
  })

  it.each([
    ['coppice-notifications', 'not JSON'],
    ['coppice-notifications', 'null'],
    ['coppice-notifications', '{"needsYou":"yes"}'],
    ['coppice-view p1', '{"tab":'],
    ['coppice-view p1', '{"openFiles":5}'],
    ['coppice-view p1', '{"tab":"no such tab"}'],
    ['coppice-view p1', '{"version":"one"}'],
    ['coppice-theme', 'sepia'],
  ])('is set aside and named when it is damaged: %s %s', (key, text) => {
    const { storage, kept } = storageWith({ [key]: text })
    expect(readNotifications(storage)).toEqual({ needsYou: true, done: false, sounds: true })
    expect(restoreUiState(storage, id, initialUi)).toEqual(initialUi)
    expect(readTheme(storage)).toBe('system')
    expect([...kept]).toEqual([[`${key} (set aside)`, text]])
    expect(warnings).toEqual([expect.stringContaining(`"${key} (set aside)"`)])
  })

  it('is set aside when it has a newer version, even if its shape would fit', () => {
    const text = '{"version":2,"needsYou":false}'
    const { storage, kept } = storageWith({ 'coppice-notifications': text })
    expect(readNotifications(storage)).toEqual({ needsYou: true, done: false, sounds: true })
    expect(kept.get('coppice-notifications (set aside)')).toBe(text)
    expect(warnings[0]).toContain('newer version')
  })

  it('is not overwritten by the next text that is set aside', () => {
    const { storage, kept } = storageWith({ 'coppice-theme (set aside)': 'first', 'coppice-theme': 'second' })
    readTheme(storage)
    expect([...kept]).toEqual([
      ['coppice-theme (set aside)', 'first'],
      ['coppice-theme (set aside 2)', 'second'],
    ])
  })

  it('stays where it is when it cannot be set aside', () => {
    const { storage, kept } = storageWith({ 'coppice-theme': 'sepia' })
    const full: SavedStorage = {
      ...storage,
      setItem(key, value) {
        if (key !== 'coppice-theme') throw new DOMException('full', 'QuotaExceededError')
        storage.setItem(key, value)
      },
    }
    expect(readTheme(full)).toBe('system')
    expect([...kept]).toEqual([['coppice-theme', 'sepia']])
  })

  it('is set aside even in a full storage', () => {
    const { storage, kept } = storageWith({ 'coppice-theme': 'sepia' }, 'sepia'.length)
    expect(readTheme(storage)).toBe('system')
    expect(kept.get('coppice-theme (set aside)')).toBe('sepia')
  })

  it('is not saved without room, which is reported and does not throw', () => {
    const { storage } = storageWith({}, 3)
    expect(() => saveUiState(storage, id, initialUi)).not.toThrow()
    expect(() => saveNotifications(storage, { needsYou: true, done: true, sounds: true })).not.toThrow()
    expect(warnings).toHaveLength(2)
  })

  it('reads as nothing from a storage that denies access', () => {
    const denied = (): never => {
      throw new DOMException('denied', 'SecurityError')
    }
    const storage: SavedStorage = { getItem: denied, setItem: denied, removeItem: denied }
    expect(readChoice(storage, 'coppice-theme', ['light'])).toBeNull()
    expect(readNotifications(storage)).toEqual({ needsYou: true, done: false, sounds: true })
  })
})

describe('sizes of the panels', () => {
  const key = 'react-resizable-panels:coppice-columns:centre'

  it('reach the splitters as the splitters saved them', () => {
    const { storage } = storageWith()
    const layouts = createLayoutStorage(storage)
    layouts.setItem(key, '{"centre":80,"sidebar":20}')
    expect(layouts.getItem(key)).toBe('{"centre":80,"sidebar":20}')
  })

  it.each(['{', 'null', '3', '[1]'])('are set aside when they cannot be read (%s)', (text) => {
    const { storage, kept } = storageWith({ [key]: text })
    expect(createLayoutStorage(storage).getItem(key)).toBeNull()
    expect(kept.get(`${key} (set aside)`)).toBe(text)
  })

  it('are not saved without room, and nothing is thrown', () => {
    expect(() => createLayoutStorage(storageWith({}, 3).storage).setItem(key, '{"centre":80}')).not.toThrow()
  })
})
