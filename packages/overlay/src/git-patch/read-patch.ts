import type { Pace } from '../ports/pace.ts'
import { noteMark, type PatchMode, readName, toBinaryText } from './patch-file.ts'

export interface ReadHunk {
  /** 1-based; 0 for an empty side. */
  readonly oldStart: number
  /** Includes lines of context. */
  readonly oldLines: number
  /** Includes lines of context. */
  readonly newLines: number
  /** With their signs and without line ends. Each character is one byte of any encoding. */
  readonly lines: readonly string[]
}

export interface ReadLiteral {
  /** Number of bytes after unpacking. */
  readonly size: number
  /** In git's base 85, with the length of each line as its first character. */
  readonly lines: readonly string[]
}

/** One file of a patch, as written there. Null paths are `/dev/null`. */
export interface ReadPatchFile {
  /** Relative to the root; null for a new file. */
  readonly from: string | null
  /** Relative to the root; null for a deleted file. */
  readonly to: string | null
  /** Null when the patch does not name it. */
  readonly oldMode: PatchMode | null
  /** Null when the patch does not name it. */
  readonly newMode: PatchMode | null
  /** True only when the patch says so, not whenever the paths differ. */
  readonly isRename: boolean
  /** Empty for a binary file and for a change without content. */
  readonly hunks: readonly ReadHunk[]
  /** The whole new content of a binary file; null for text. */
  readonly literal: ReadLiteral | null
}

export class PatchSyntaxError extends Error {
  /** 1-based. */
  readonly line: number

  constructor(line: number, message: string) {
    super(`Line ${line} of the patch: ${message}`)
    this.name = 'PatchSyntaxError'
    this.line = line
  }
}

/** Reads a git patch, without the notes above its first file. Throws `PatchSyntaxError` at the first line that does not belong. */
export async function readPatch(bytes: Uint8Array, pace: Pace): Promise<readonly ReadPatchFile[]> {
  const lines = toBinaryText(bytes).split('\n')
  if (lines.at(-1) === '') lines.pop()
  const cursor: Cursor = { lines, at: 0 }
  while (lines[cursor.at]?.startsWith(noteMark)) cursor.at += 1
  const files: ReadPatchFile[] = []
  while (cursor.at < lines.length) {
    files.push(readFile(cursor))
    await pace()
  }
  return files
}

interface Cursor {
  readonly lines: readonly string[]
  at: number
}

type OverlayTransaction = { -readonly [Key in keyof ReadPatchFile]: ReadPatchFile[Key] }

function readFile(cursor: Cursor): ReadPatchFile {
  const first = take(cursor)
  if (!first.startsWith('diff --git ')) throw fault(cursor, 'a file must begin with "diff --git".')
  const [from, to] = headerNames(first.slice('diff --git '.length), cursor)
  const file: OverlayTransaction = { from, to, oldMode: null, newMode: null, isRename: false, hunks: [], literal: null }
  while (cursor.at < cursor.lines.length && readHeaderLine(cursor, file));
  if (peek(cursor) === 'GIT binary patch') {
    cursor.at += 1
    file.literal = readLiteral(cursor)
    readLiteral(cursor)
  } else if (peek(cursor)?.startsWith('--- ')) {
    file.from = pathOf(take(cursor).slice(4), 'a/', cursor)
    if (!peek(cursor)?.startsWith('+++ ')) throw fault(cursor, '"+++" is missing.')
    file.to = pathOf(take(cursor).slice(4), 'b/', cursor)
    file.hunks = readHunks(cursor)
  }
  return file
}

/** True when the line belongs to a file's header. */
function readHeaderLine(cursor: Cursor, file: OverlayTransaction): boolean {
  const line = peek(cursor) ?? ''
  const [, key, value = ''] =
    /^(old mode|new mode|deleted file mode|new file mode|rename from|rename to|similarity index|index) (.*)$/s.exec(
      line,
    ) ?? []
  switch (key) {
    case 'old mode':
    case 'deleted file mode':
      file.oldMode = modeOf(value, cursor)
      if (key === 'deleted file mode') file.to = null
      break
    case 'new mode':
    case 'new file mode':
      file.newMode = modeOf(value, cursor)
      if (key === 'new file mode') file.from = null
      break
    case 'rename from':
      file.isRename = true
      file.from = readName(value)?.name ?? null
      break
    case 'rename to':
      file.to = readName(value)?.name ?? null
      break
    case 'similarity index':
    case 'index':
      break
    default:
      return false
  }
  cursor.at += 1
  return true
}

/** Both names of the first line. Without quotes they must be equal, or the lines of a rename repeat them. */
function headerNames(text: string, cursor: Cursor): readonly [string | null, string | null] {
  if (text.startsWith('"')) {
    const first = readName(text)
    const second = first && readName(first.rest.slice(1))
    if (!first || !second) throw fault(cursor, 'a quote is not closed.')
    return [first.name.slice(2), second.name.slice(2)]
  }
  if (text.endsWith('"')) {
    const start = text.indexOf(' "')
    return [readName(text.slice(2, start))?.name ?? null, readName(text.slice(start + 1))?.name.slice(2) ?? null]
  }
  const half = (text.length - 1) / 2
  const name = readName(text.slice(2, half))?.name ?? null
  return [name, name]
}

function readHunks(cursor: Cursor): readonly ReadHunk[] {
  const hunks: ReadHunk[] = []
  for (let line = peek(cursor); line?.startsWith('@@ '); line = peek(cursor)) hunks.push(readHunk(cursor))
  return hunks
}

function readHunk(cursor: Cursor): ReadHunk {
  const match = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(take(cursor))
  if (!match) throw fault(cursor, 'a hunk’s range cannot be read.')
  const [oldLines, newLines] = [Number(match[2] ?? 1), Number(match[4] ?? 1)]
  const lines: string[] = []
  let [old, fresh] = [oldLines, newLines]
  while (old > 0 || fresh > 0 || peek(cursor)?.startsWith('\\')) {
    const line = take(cursor)
    const sign = line[0] ?? ' '
    if (!' +-\\'.includes(sign)) throw fault(cursor, 'a line of a hunk has no sign.')
    if (sign === ' ' || sign === '-') old -= 1
    if (sign === ' ' || sign === '+') fresh -= 1
    lines.push(line)
  }
  if (old < 0 || fresh < 0) throw fault(cursor, 'a hunk is longer than it says.')
  return { oldStart: Number(match[1]), oldLines, newLines, lines }
}

function readLiteral(cursor: Cursor): ReadLiteral {
  const match = /^literal (\d+)$/.exec(take(cursor))
  if (!match) throw fault(cursor, 'only literal binary patches are read.')
  const lines: string[] = []
  for (let line = take(cursor); line !== ''; line = take(cursor)) lines.push(line)
  return { size: Number(match[1]), lines }
}

function pathOf(text: string, prefix: string, cursor: Cursor): string | null {
  if (text === '/dev/null') return null
  const name = readName(text)?.name
  if (!name?.startsWith(prefix)) throw fault(cursor, `a name must begin with ${prefix}.`)
  return name.slice(prefix.length)
}

function modeOf(value: string, cursor: Cursor): PatchMode {
  if (value === '100644' || value === '100755' || value === '120000') return value
  throw fault(cursor, `the mode ${value} cannot be carried.`)
}

function peek(cursor: Cursor): string | undefined {
  return cursor.lines[cursor.at]
}

function take(cursor: Cursor): string {
  const line = cursor.lines[cursor.at]
  if (line === undefined) throw fault(cursor, 'it ends too early.')
  cursor.at += 1
  return line
}

function fault(cursor: Cursor, message: string): PatchSyntaxError {
  return new PatchSyntaxError(Math.max(cursor.at, 1), message)
}
