/** The first lines of a generated page. */
export function pageHead(title: string, source: string): string {
  return `<!-- Made by "npm run docs" from ${source}. Change it there. -->\n\n# ${title}\n`
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(oneLine).join(' | ')} |`)
  return `${lines.join('\n')}\n`
}

/** Text of a cell. A table has no lines in its cells, and a bar would end one. */
function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')
}

export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}
