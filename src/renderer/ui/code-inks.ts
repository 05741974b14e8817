import { type Highlighter, highlightCode, tagHighlighter, tags } from '@lezer/highlight'
import { languageNamed, languageOf } from './code-language.ts'
import type { CodePiece, Syntax, SyntaxHint } from './syntax.ts'

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
