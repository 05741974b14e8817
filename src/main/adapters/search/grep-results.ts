import type { GrepFile, GrepLine } from '#core/ports/search.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import type { FoundText, HeldText } from './held-lines.ts'

/** The used fields of one line of `rg --json`. `bytes` replaces `text` when that is not UTF-8. */
type Text = { readonly text?: string; readonly bytes?: string }
type Message =
  | { readonly type: 'begin'; readonly data: { readonly path: Text } }
  | {
      readonly type: 'match' | 'context'
      readonly data: { readonly lines: Text; readonly line_number: number | null; readonly absolute_offset: number }
    }
  | {
      readonly type: 'end'
      readonly data: { readonly binary_offset: number | null; readonly stats: { readonly matched_lines: number } }
    }
  | { readonly type: 'summary' }
type Shown = Extract<Message, { type: 'match' | 'context' }>

const longestLine = 4000

export interface GrepCollector {
  accept(record: Buffer): void
  readonly files: readonly GrepFile[]
  /** Number of binary files with a match. Their lines are not shown. */
  binarySkipped(): number
}

/** How a pass interprets the engine's output. */
export interface GrepReading {
  /** The path for a name as ripgrep prints it. Undefined when it is not part of the result. */
  translate(name: string): GrepFile['path'] | undefined
  /** Undefined when the file now at the path does not contain the found text. */
  confirm(path: GrepFile['path'], found: readonly FoundText[]): HeldText | undefined
}

/** Collects the messages of one run. `keeps` says whether so many more bytes of a file may be kept. */
export function collectGrep(
  { translate, confirm }: GrepReading,
  keeps: (bytes: number) => boolean = () => false,
): GrepCollector {
  const files: GrepFile[] = []
  let binary = 0
  let path: GrepFile['path'] | undefined
  let lines: GrepLine[] = []
  let found: FoundText[] = []

  function begin(name: string | undefined): void {
    path = name === undefined ? undefined : translate(name)
    lines = []
    found = []
  }
  function end(isBinary: boolean, matches: number): void {
    if (path === undefined) return
    if (isBinary) binary += 1
    else addConfirmed(path, matches)
    path = undefined
  }
  function addConfirmed(path: GrepFile['path'], matches: number): void {
    const held = confirm(path, found)
    if (!held) return
    const content = held.bytes && keeps(held.bytes.length) ? held.bytes : null
    files.push({ path, matches, lines, ...(content && { content }) })
  }
  function take(message: Shown): void {
    const { lines: text, absolute_offset: offset } = message.data
    const bytes = text.text === undefined ? Buffer.from(text.bytes ?? '', 'base64') : Buffer.from(text.text)
    found.push({ offset, bytes })
    lines.push(...toLines(message, bytes))
  }
  return {
    accept(record) {
      const message = JSON.parse(record.toString()) as Message
      if (message.type === 'begin') begin(message.data.path.text)
      else if (message.type === 'end') end(message.data.binary_offset !== null, message.data.stats.matched_lines)
      else if (message.type !== 'summary' && path !== undefined) take(message)
    },
    files,
    binarySkipped: () => binary,
  }
}

/** Splits a match over several lines, which arrives as one message. */
function toLines({ type, data }: Shown, bytes: Buffer): GrepLine[] {
  const first = data.line_number ?? 1
  return (data.lines.text ?? bytes.toString())
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line, index) => ({ number: first + index, text: shorten(line), isMatch: type === 'match' }))
}

function shorten(line: string): string {
  if (line.length <= longestLine) return line
  return `${beginningOf(line, longestLine)} … (${line.length - longestLine} more characters)`
}
