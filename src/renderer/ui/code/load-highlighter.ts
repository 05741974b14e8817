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
  const support = await descriptionOf(hint)?.load()
  return support ? highlighterOf(support) : null
}

/** The highlighter of a language without waiting; null for an unknown language, undefined until it is loaded. */
export function knownHighlighter(hint: LanguageHint): Highlighter | null | undefined {
  const description = descriptionOf(hint)
  if (!description) return null
  return description.support && highlighterOf(description.support)
}

/** One for each language, so that what was coloured with it stays valid. */
const highlighters = new WeakMap<LanguageSupport, Highlighter>()

function highlighterOf(support: LanguageSupport): Highlighter {
  const known = highlighters.get(support)
  if (known) return known
  const { parser } = support.language
  const made: Highlighter = {
    tokenize: (code) => collectLines((put, end) => highlightCode(code, parser.parse(code), tokenStyles, put, end)),
  }
  highlighters.set(support, made)
  return made
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
  return (await ofFile(path)?.load()) ?? null
}

function descriptionOf(hint: LanguageHint): LanguageDescription | null {
  return 'path' in hint ? ofFile(hint.path) : ofName(hint.language)
}

function ofFile(path: string): LanguageDescription | null {
  return LanguageDescription.matchFilename(languages, path.slice(path.lastIndexOf('/') + 1))
}

/** Finds the language a code fence names, by name or file ending: `python`, `py`, `sh`. */
function ofName(name: string): LanguageDescription | null {
  return LanguageDescription.matchLanguageName(languages, name, false) ?? ofFile(`code.${name}`)
}
