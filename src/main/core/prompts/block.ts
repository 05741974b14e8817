/**
 * Texts as named blocks of a prompt for another model. No text can end a block or begin one: where it holds a tag of one
 * of the names, `&lt;` stands in the place of its `<`.
 */
export function blocks(texts: Readonly<Record<string, string>>): string {
  const tag = new RegExp(`<(?=[\\s/\\\\]*(?:${Object.keys(texts).join('|')})(?![\\w-]))`, 'gi')
  return Object.entries(texts)
    .map(([name, text]) => `<${name}>\n${text.replace(tag, '&lt;')}\n</${name}>`)
    .join('\n\n')
}
