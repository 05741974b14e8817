import { LanguageDescription, type LanguageSupport } from '@codemirror/language'
import { languages } from '@codemirror/language-data'
import { highlightCode, type Highlighter as TagStyles, tagHighlighter, tags } from '@lezer/highlight'
import type { Highlighter, LanguageHint, Token } from './token.ts'

/** A few colours, each with one meaning. Most of the code stays plain. */
export const tokenStyles: TagStyles = tagHighlighter([
  { tag: [tags.keyword, tags.modifier, tags.tagName, tags.heading], class: 'text-code-keyword' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string), tags.attributeValue], class: 'text-code-string' },
  { tag: [tags.number, tags.bool, tags.atom, tags.null, tags.escape, tags.color], class: 'text-code-value' },
  { tag: [tags.comment, tags.meta], class: 'text-code-comment' },
  {
    tag: [
      tags.typeName,
      tags.className,
      tags.macroName,
      tags.attributeName,
      tags.definition(tags.variableName),
      tags.definition(tags.propertyName),
      tags.function(tags.variableName),
      tags.function(tags.propertyName),
    ],
    class: 'text-code-name',
  },
])

/** Loads the highlighter of a language; null for an unknown language. */
export async function loadHighlighter(hint: LanguageHint): Promise<Highlighter | null> {
  const support = await ('path' in hint ? languageOf(hint.path) : findLanguage(hint.language))
  if (!support) return null
  const { parser } = support.language
  return {
    tokenize: (code) => collectLines((put, end) => highlightCode(code, parser.parse(code), tokenStyles, put, end)),
  }
}

type ReadTokens = (put: (text: string, className: string) => void, endLine: () => void) => void

function collectLines(read: ReadTokens): readonly (readonly Token[])[] {
  let line: Token[] = []
  const lines = [line]
  read(
    (text, className) => line.push({ text, className }),
    () => {
      line = []
      lines.push(line)
    },
  )
  return lines
}

/** Finds a language by a file's name and loads it; null when there is none. */
export async function languageOf(path: string): Promise<LanguageSupport | null> {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return (await LanguageDescription.matchFilename(languages, name)?.load()) ?? null
}

/** Finds the language a code fence names, by name or file ending: `python`, `py`, `sh`. Null when there is none. */
async function findLanguage(name: string): Promise<LanguageSupport | null> {
  const description = LanguageDescription.matchLanguageName(languages, name, false)
  return description ? description.load() : languageOf(`code.${name}`)
}
