import { proseOf } from '../store/prose.ts'

/** The characters of a token. A model's token has about four. */
const tokenLength = 4
const tickMs = 10

export const textKinds = ['mixed', 'fence', 'paragraph'] as const
export type TextKind = (typeof textKinds)[number]

/** Text that a model might write, of `length` characters. */
export function textOf(kind: TextKind, length: number): string {
  if (kind === 'paragraph') return proseOf(1, length)
  if (kind === 'fence') return `\`\`\`ts\n${repeated(codeLine, length)}\n\`\`\`\n`
  return repeated(mixedBlock, length)
}

function repeated(make: (index: number) => string, length: number): string {
  const parts: string[] = []
  for (let size = 0, index = 0; size < length; index += 1) {
    const part = make(index)
    parts.push(part)
    size += part.length
  }
  return parts.join('').slice(0, length)
}

function codeLine(index: number): string {
  return `export const value${index} = compute('${proseOf(index, 24)}', ${index}) // line ${index}\n`
}

function mixedBlock(index: number): string {
  const prose = proseOf(index, 500)
  const code = Array.from({ length: 6 }, (_, line) => codeLine(line)).join('')
  const list = Array.from({ length: 5 }, (_, line) => `- **${line}** ${proseOf(line, 60)} with \`code\`\n`).join('')
  const table = `| a | b |\n| - | - |\n| ${index} | ${proseOf(index, 20)} |\n`
  return `## Part ${index}\n\n${prose}\n\n${list}\n\`\`\`ts\n${code}\`\`\`\n\n${table}\n`
}

/** Sends the text one token at a time, at an even rate. Tokens that a late timer missed come with its next tick. */
export async function pacedTokens(text: string, perSecond: number, send: (tokens: readonly string[]) => void) {
  const started = performance.now()
  for (let sent = 0; sent * tokenLength < text.length; ) {
    await new Promise((resolve) => setTimeout(resolve, tickMs))
    const due = Math.floor(((performance.now() - started) / 1_000) * perSecond)
    const tokens: string[] = []
    for (; sent < due && sent * tokenLength < text.length; sent += 1)
      tokens.push(text.slice(sent * tokenLength, (sent + 1) * tokenLength))
    send(tokens)
  }
}
