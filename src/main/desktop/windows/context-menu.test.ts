import type { MenuItemConstructorOptions, WebContents } from 'electron'
import { expect, it } from 'vitest'
import { RecordedContents, recordElectron } from '../recorded-electron.testkit.ts'
import { contextTemplate, showContextMenus } from './context-menu.ts'

const nothing = { linkURL: '', isEditable: false, selectionText: '', misspelledWord: '', dictionarySuggestions: [] }
const clickedOn = (what: object) => ({ ...nothing, formControlType: 'none' as const, ...what })
const acts = { copyText: () => undefined, correct: () => undefined, learn: () => undefined }
const names = (items: readonly MenuItemConstructorOptions[]) =>
  items.map(({ label, role, type }) => label ?? role ?? type)

it('offers spellings, the dictionary and the clipboard in a text box', () => {
  const clicked = clickedOn({ isEditable: true, misspelledWord: 'teh', dictionarySuggestions: ['the', 'tea'] })
  expect(names(contextTemplate(clicked, acts))).toEqual([
    ...['the', 'tea', 'Add to dictionary', 'separator'],
    ...['cut', 'copy', 'paste', 'separator', 'selectAll'],
  ])
  expect(names(contextTemplate({ ...clicked, dictionarySuggestions: [] }, acts))[0]).toBe('No suggestions')
})

it('says nothing about the spelling of a password', () => {
  const clicked = clickedOn({ isEditable: true, misspelledWord: 'hunter2', formControlType: 'input-password' })
  expect(names(contextTemplate(clicked, acts))).not.toContain('Add to dictionary')
})

it('copies links of the web and selected text, and shows nothing elsewhere', () => {
  expect(names(contextTemplate(clickedOn({ linkURL: 'https://example.org/' }), acts))).toEqual(['Copy link'])
  expect(names(contextTemplate(clickedOn({ linkURL: 'javascript:alert(1)' }), acts))).toEqual([])
  expect(names(contextTemplate(clickedOn({ selectionText: 'words' }), acts))).toEqual(['copy'])
})

it('corrects, learns and copies in the page that was clicked', () => {
  const { electron, of, calls } = recordElectron()
  const shown: MenuItemConstructorOptions[][] = []
  electron.Menu.buildFromTemplate = (template) => {
    shown.push(template as MenuItemConstructorOptions[])
    return { popup: () => calls.push(['popup', []]) } as never
  }
  const contents = new RecordedContents()
  showContextMenus(electron, contents as unknown as WebContents)
  const clicked = { isEditable: true, misspelledWord: 'teh', dictionarySuggestions: ['the'], linkURL: 'http://a.test/' }
  contents.emit('context-menu', {}, clickedOn(clicked))
  for (const item of shown[0] ?? []) item.click?.({} as never, undefined, {} as never)
  expect([contents.test.corrected, contents.test.learned]).toEqual([['the'], ['teh']])
  expect([of('clipboard.writeText'), of('popup').length]).toEqual([[['http://a.test/']], 1])
  contents.emit('context-menu', {}, clickedOn({}))
  expect(of('popup')).toHaveLength(1)
})
