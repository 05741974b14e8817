import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vite'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Text of two words or more. A single word may be a name, a file or a unit. */
const twoWords = /\p{L}{2,}[,;:.]?\s+\p{L}{2,}/u
/** A literal that reads like a sentence or a label, not like class names or keys. */
const sentence = /^\p{Lu}[\p{L}’]*,?( [\p{L}\d“’]+[,;”]?)+[.:?!…]?/u
const readAttributes = new Set([
  'alt',
  'aria-description',
  'aria-label',
  'aria-roledescription',
  'aria-valuetext',
  'description',
  'detail',
  'hint',
  'label',
  'placeholder',
  'summary',
  'title',
])

/** Texts that the window does not say: the first line of a message to an agent, and a key. */
const exceptions: readonly string[] = ['Review comments on your changes:', 'Esc Esc']

interface Node {
  readonly type: string
  readonly [key: string]: unknown
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode)
}

/** The text of a literal, or of a piece of a template. */
function textsOf({ type, value }: Node): readonly string[] {
  if ((type === 'Literal' || type === 'JSXText') && typeof value === 'string') return [value]
  if (type !== 'TemplateElement' || typeof value !== 'object' || value === null || !('cooked' in value)) return []
  return typeof value.cooked === 'string' ? [value.cooked] : []
}

/** Errors and console messages are for developers. */
function isForDevelopers(node: Node): boolean {
  if (node.type === 'NewExpression' || node.type === 'ThrowStatement') return true
  return node.type === 'CallExpression' && JSON.stringify(node.callee).includes('"name":"console"')
}

/** Finds the texts in a source that a person would read in the window. */
function findSentences(source: string, lang: 'ts' | 'tsx' = 'tsx'): readonly string[] {
  const found: string[] = []
  const visit = (node: Node, isRead: boolean): void => {
    if (isForDevelopers(node) || node.type === 'ImportDeclaration') return
    const isReadInside = node.type === 'JSXAttribute' ? isReadAttribute(node) : isRead
    for (const text of textsOf(node)) {
      if (node.type === 'JSXText' || isRead ? twoWords.test(text) : sentence.test(text)) found.push(text.trim())
    }
    for (const child of childrenOf(node)) visit(child, isReadInside && !isJsxElement(child))
  }
  visit(parseAst(source, { lang }) as unknown as Node, false)
  return found
}

function isReadAttribute({ name }: Node): boolean {
  return isNode(name) && readAttributes.has(String(name.name))
}

function isJsxElement({ type }: Node): boolean {
  return type === 'JSXElement' || type === 'JSXFragment'
}

describe('sentences of the window', () => {
  it('are defined only in strings/', () => {
    const files = globSync('**/*.{ts,tsx}', { cwd: root }).filter(
      (file) => !file.startsWith('strings/') && !/\.(test|testkit|d)\.tsx?$/.test(file),
    )
    expect(files.length).toBeGreaterThan(150)
    const userMessage = files.flatMap((file) =>
      findSentences(readFileSync(join(root, file), 'utf8'), file.endsWith('.tsx') ? 'tsx' : 'ts')
        .filter((text) => !exceptions.includes(text))
        .map((text) => `${file}: ${text}`),
    )
    expect(userMessage).toEqual([])
  })

  it.each([
    ['text of an element', 'const a = <p>Nothing was found</p>', 'Nothing was found'],
    ['a tooltip', 'const a = <p title="changed below" />', 'changed below'],
    ['a conditional name', "const a = <p aria-label={on ? 'switch off' : 'on'} />", 'switch off'],
    ['a template', 'const a = <p title={`$' + '{count} files failed`} />', 'files failed'],
    ['a value', "const label = 'Show keyboard shortcuts'", 'Show keyboard shortcuts'],
  ])('are found as %s', (_, source, text) => {
    expect(findSentences(source)).toEqual([text])
  })

  it.each([
    ['class names', 'const a = <p className="flex min-h-6 items-center" />'],
    ['single words and signs', 'const a = <p title="README.md">@@ -{from} +{to} @@ settings.json</p>'],
    ['errors for developers', "throw new Error('A screen was used outside of its session.')"],
    ['labels of strings/', 'const a = <p title={labels.open}>{labels.none}</p>'],
  ])('are not %s', (_, source) => {
    expect(findSentences(source)).toEqual([])
  })
})
