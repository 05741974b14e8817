import { LanguageDescription, type LanguageSupport } from '@codemirror/language'
import { languages } from '@codemirror/language-data'
import { type Highlighter, highlightCode, tagHighlighter, tags } from '@lezer/highlight'
import type { CodePiece, Syntax, SyntaxHint } from './use-highlighter.ts'

/** Few colours, each for one thing: what is most of the code stays plain. */
export const inks: Highlighter = tagHighlighter([
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

/** Loads what reads a language; null when there is nothing that does. */
export async function loadSyntax(hint: SyntaxHint): Promise<Syntax | null> {
  const support = await ('path' in hint ? languageOf(hint.path) : languageNamed(hint.language))
  if (!support) return null
  const { parser } = support.language
  return { linesOf: (code) => linesIn((put, end) => highlightCode(code, parser.parse(code), inks, put, end)) }
}

type Read = (put: (text: string, ink: string) => void, endLine: () => void) => void

function linesIn(read: Read): readonly (readonly CodePiece[])[] {
  let line: CodePiece[] = []
  const lines = [line]
  read(
    (text, ink) => line.push({ text, ink }),
    () => {
      line = []
      lines.push(line)
    },
  )
  return lines
}

/** Loads the language of a file by its name; null when there is none. */
export async function languageOf(path: string): Promise<LanguageSupport | null> {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return (await LanguageDescription.matchFilename(languages, name)?.load()) ?? null
}

/** Loads the language that a code fence names, or the ending it names: `python`, `py`, `sh`; null when there is none. */
async function languageNamed(name: string): Promise<LanguageSupport | null> {
  const description = LanguageDescription.matchLanguageName(languages, name, false)
  return description ? description.load() : languageOf(`code.${name}`)
}
