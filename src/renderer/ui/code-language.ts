import { LanguageDescription, type LanguageSupport } from '@codemirror/language'
import { languages } from '@codemirror/language-data'

/** Loads the language of a file by its name; null when there is none. */
export async function languageOf(path: string): Promise<LanguageSupport | null> {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return (await LanguageDescription.matchFilename(languages, name)?.load()) ?? null
}

/** Loads the language that a code fence names, or the ending it names: `python`, `py`, `sh`; null when there is none. */
export async function languageNamed(name: string): Promise<LanguageSupport | null> {
  const description = LanguageDescription.matchLanguageName(languages, name, false)
  return description ? description.load() : languageOf(`code.${name}`)
}
