import type { GrepFile, GrepLine } from '#core/ports/search.ts'

/** One line of `rg --json`; only what is used of it. `bytes` stands for `text` where it is not UTF-8. */
type Text = { readonly text?: string; readonly bytes?: string }
type Message =
  | { readonly type: 'begin'; readonly data: { readonly path: Text } }
  | {
      readonly type: 'match' | 'context'
      readonly data: { readonly lines: Text; readonly line_number: number | null }
    }
  | {
      readonly type: 'end'
      readonly data: { readonly binary_offset: number | null; readonly stats: { readonly matched_lines: number } }
    }
  | { readonly type: 'summary' }

const longestLine = 4000

export interface GrepCollector {
  accept(record: Buffer): void
  readonly files: readonly GrepFile[]
  /** Binary files with a match, whose lines are not shown. */
  binarySkipped(): number
}

/** Gathers one run's messages; `accepts` decides by the path as ripgrep names it, and translates it. */
export function collectGrep(translate: (path: string) => GrepFile['path'] | undefined): GrepCollector {
  const files: GrepFile[] = []
  let binary = 0
  let path: GrepFile['path'] | undefined
  let lines: GrepLine[] = []

  function begin(name: string | undefined): void {
    path = name === undefined ? undefined : translate(name)
    lines = []
  }
  function end(isBinary: boolean, matches: number): void {
    if (path === undefined) return
    if (isBinary) binary += 1
    else files.push({ path, matches, lines })
    path = undefined
  }
  return {
    accept(record) {
      const message = JSON.parse(record.toString()) as Message
      if (message.type === 'begin') begin(message.data.path.text)
      else if (message.type === 'end') end(message.data.binary_offset !== null, message.data.stats.matched_lines)
      else if (message.type !== 'summary' && path !== undefined) lines.push(...toLines(message))
    },
    files,
    binarySkipped: () => binary,
  }
}

/** A match over several lines arrives as one message. */
function toLines({ type, data }: Extract<Message, { type: 'match' | 'context' }>): GrepLine[] {
  const text = data.lines.text ?? Buffer.from(data.lines.bytes ?? '', 'base64').toString()
  const first = data.line_number ?? 1
  return text
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line, index) => ({ number: first + index, text: shorten(line), isMatch: type === 'match' }))
}

function shorten(line: string): string {
  if (line.length <= longestLine) return line
  return `${line.slice(0, longestLine)} … (${line.length - longestLine} more characters)`
}
