import type { LanguageSupport } from '@codemirror/language'

/** Loads the language of a file by its ending; null when there is none. */
export async function languageOf(path: string): Promise<LanguageSupport | null> {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  switch (ending) {
    case 'ts':
    case 'tsx':
    case 'mts':
    case 'cts':
      return (await import('@codemirror/lang-javascript')).javascript({ typescript: true, jsx: ending === 'tsx' })
    case 'js':
    case 'jsx':
    case 'mjs':
    case 'cjs':
      return (await import('@codemirror/lang-javascript')).javascript({ jsx: true })
    case 'json':
    case 'jsonc':
      return (await import('@codemirror/lang-json')).json()
    case 'css':
      return (await import('@codemirror/lang-css')).css()
    case 'html':
    case 'svg':
      return (await import('@codemirror/lang-html')).html()
    case 'md':
      return (await import('@codemirror/lang-markdown')).markdown()
    case 'py':
      return (await import('@codemirror/lang-python')).python()
    default:
      return null
  }
}
