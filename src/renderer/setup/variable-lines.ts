import { lastingVariable } from '#shared/model/setup.ts'

type Variables = Readonly<Record<string, string>>

/** One line for each variable. A value with a line break cannot be written so, and is shown with `\n`. */
export function linesOf(variables: Variables): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`)
    .join('\n')
}

/** What such lines say, or the first line that says nothing. */
export function variablesIn(text: string): { readonly variables: Variables } | { readonly problem: string } {
  const found: [string, string][] = []
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const [, name = '', rest = ''] = /^\s*([^=]*?)\s*=(.*)$/.exec(line) ?? []
    const value = rest.replace(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one))
    if (!lastingVariable(name, value)) return { problem: line.trim() }
    found.push([name, value])
  }
  return { variables: Object.fromEntries(found) }
}
