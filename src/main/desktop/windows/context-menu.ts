import type { ContextMenuParams, MenuItemConstructorOptions, WebContents } from 'electron'
import type { Electron } from '../electron.ts'

type Clicked = Pick<
  ContextMenuParams,
  'linkURL' | 'isEditable' | 'selectionText' | 'misspelledWord' | 'dictionarySuggestions' | 'formControlType'
>

/** What the menu does with what was clicked. */
interface Acts {
  readonly copyText: (text: string) => void
  readonly correct: (word: string) => void
  readonly learn: (word: string) => void
}

const separator: MenuItemConstructorOptions = { type: 'separator' }

/** The entries for what was clicked, such as spelling in a text box. Empty for none. */
export function contextTemplate(clicked: Clicked, acts: Acts): readonly MenuItemConstructorOptions[] {
  const { linkURL, isEditable, selectionText } = clicked
  const link = /^https?:\/\//.test(linkURL) ? [{ label: 'Copy link', click: () => acts.copyText(linkURL) }] : []
  const edit: MenuItemConstructorOptions[] = isEditable
    ? [{ role: 'cut' }, { role: 'copy' }, { role: 'paste' }, separator, { role: 'selectAll' }]
    : selectionText.trim() === ''
      ? []
      : [{ role: 'copy' }]
  return [...spelling(clicked, acts), ...link, ...edit]
}

function spelling(
  { isEditable, misspelledWord, dictionarySuggestions, formControlType }: Clicked,
  { correct, learn }: Acts,
): readonly MenuItemConstructorOptions[] {
  if (!isEditable || misspelledWord === '' || formControlType === 'input-password') return []
  const better = dictionarySuggestions.map((word) => ({ label: word, click: () => correct(word) }))
  return [
    ...(better.length > 0 ? better : [{ label: 'No suggestions', enabled: false }]),
    { label: 'Add to dictionary', click: () => learn(misspelledWord) },
    separator,
  ]
}

/** Shows the menu of the system over text boxes, links and selected text. */
export function showContextMenus({ Menu, clipboard }: Electron, contents: WebContents): void {
  contents.on('context-menu', (_event, clicked) => {
    const template = contextTemplate(clicked, {
      copyText: (text) => void clipboard.writeText(text),
      correct: (word) => contents.replaceMisspelling(word),
      learn: (word) => void contents.session.addWordToSpellCheckerDictionary(word),
    })
    if (template.length > 0) Menu.buildFromTemplate([...template]).popup()
  })
}
