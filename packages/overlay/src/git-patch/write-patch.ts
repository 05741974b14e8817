import type { ObjectFormat } from '../ports/git-attributes.ts'
import type { Deflate, Hashing } from '../ports/hashing.ts'
import type { Pace } from '../ports/pace.ts'
import type { TextMerge } from '../ports/text-merge.ts'
import { isBinary } from '../tree/binary.ts'
import { encodeLines } from './base85.ts'
import { similarity } from './collect-patch-files.ts'
import { lineHunks } from './line-hunks.ts'
import {
  fromBinaryText,
  nameLine,
  noteMark,
  type PatchFile,
  type PatchSide,
  quoteName,
  sameBytes,
  toBinaryText,
} from './patch-file.ts'

export interface WritePatchOptions {
  /** Written in this order. */
  readonly files: readonly PatchFile[]
  /** Makes git's object ids. */
  readonly hashing: Hashing
  /** Packs binary files. */
  readonly deflate: Deflate
  /** Finds the hunks. */
  readonly textMerge: TextMerge
  /** Awaited between files. */
  readonly pace: Pace
  /** Writes large files with the text that stands for their content, to try the patch without them. */
  readonly asStandIns?: true
  /** Of the object ids. Absent for SHA-1. */
  readonly objectFormat?: ObjectFormat
  /** Written before the files, where git skips them. Absent for none. */
  readonly notes?: readonly string[]
  /** Written behind the lines that a hunk is about, where git puts the name of a function. Absent for nothing. */
  readonly heading?: HunkHeading
}

/** What is said of a hunk, by the new path of its file and its lines there, from 0. Empty for nothing. */
export type HunkHeading = (path: string, start: number, lines: number) => string

/** Larger files are written whole, like binaries, because comparing their lines would take too long. */
const maxComparedBytes = 4 * 1024 * 1024
const noContent = new Uint8Array()

/** A patch in git's own format, as `git diff --binary --full-index -M` writes it. Empty when nothing changed. */
export async function writePatch(options: WritePatchOptions): Promise<Uint8Array> {
  const notes = options.files.length === 0 ? [] : (options.notes ?? [])
  const parts = notes.map((note) => toBinaryText(new TextEncoder().encode(`${noteMark}${oneLine(note)}\n`)))
  for (const file of options.files.flatMap(withoutKindChange)) {
    parts.push(await writeFile(file, options))
    await options.pace()
  }
  return fromBinaryText(parts.join(''))
}

/** Splits a change between file and link into a deletion and a creation, because patches cannot change the kind. */
function withoutKindChange(file: PatchFile): readonly PatchFile[] {
  const { before, after, path, renamedFrom } = file
  const isLink = (side: PatchSide) => side.mode === '120000'
  if (!before || !after || isLink(before) === isLink(after)) return [file]
  return [
    { path: renamedFrom ?? path, before, after: null },
    { path, before: null, after },
  ]
}

async function writeFile(file: PatchFile, options: WritePatchOptions): Promise<string> {
  const hunks = await contentLines(file, options)
  const named = file.renamedFrom !== undefined || hunks.some((line) => line.startsWith('--- '))
  return `${[firstLine(file, named), ...modeLines(file), ...renameLines(file), ...hunks].join('\n')}\n`
}

/**
 * The first line of a file. Names with a space are quoted if no later line repeats them, because readers could not
 * split the line.
 */
function firstLine({ path, renamedFrom = path }: PatchFile, named: boolean): string {
  const quoted = (name: string) => quoteName(name, !named && name.includes(' '))
  return `diff --git ${quoted(`a/${renamedFrom}`)} ${quoted(`b/${path}`)}`
}

async function contentLines(file: PatchFile, options: WritePatchOptions): Promise<readonly string[]> {
  const { before, after } = file
  const [old, fresh] = [before?.bytes ?? noContent, after?.bytes ?? noContent]
  if (before && after && sameBytes(old, fresh)) return []
  if (before?.largeId && !after && !options.asStandIns) {
    const name = quoteName(`a/${file.path}`)
    return [
      `index ${before.largeId}..${'0'.repeat(before.largeId.length)}`,
      `Binary files ${name} and /dev/null differ`,
    ]
  }
  const idOf = (bytes: Uint8Array) => options.hashing.gitObjectId(bytes, options.objectFormat)
  const [oldId, newId] = [before, after].map((side) => (side ? idOf(side.bytes) : '0'.repeat(idOf(noContent).length)))
  const sameMode = before && after && before.mode === after.mode ? ` ${after.mode}` : ''
  const index = `index ${oldId}..${newId}${sameMode}`
  if (old.length === 0 && fresh.length === 0) return [index]
  const whole = [old, fresh].some((bytes) => isBinary(bytes) || bytes.length > maxComparedBytes)
  if (whole) return [index, 'GIT binary patch', ...literal(fresh, options.deflate), ...literal(old, options.deflate)]
  const hunks = await lineHunks(old, fresh, options.textMerge)
  return [index, ...nameLines(file), ...hunks.map((line) => withHeading(file.path, line, options.heading))]
}

/** Git cuts long headings too. */
const mostHeading = 80

function withHeading(path: string, line: string, heading: HunkHeading | undefined): string {
  const [, start, count = '1'] = (heading && /^@@ -\S+ \+(\d+)(?:,(\d+))? @@$/.exec(line)) ?? []
  if (!heading || start === undefined) return line
  const lines = Number(count)
  const said = oneLine(heading(path, lines === 0 ? Number(start) : Number(start) - 1, lines))
  return said === ''
    ? line
    : `${line} ${toBinaryText(new TextEncoder().encode([...said].slice(0, mostHeading).join('')))}`
}

/** A note as one line. Characters that a terminal obeys, or that hide or reorder text, are replaced by their codes. */
function oneLine(note: string): string {
  const plain = note.replace(/\s+/g, ' ').trim()
  return plain.replace(/[\p{Cc}\p{Cf}]/gu, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}}`)
}

function modeLines({ before, after }: PatchFile): readonly string[] {
  if (!before) return after ? [`new file mode ${after.mode}`] : []
  if (!after) return [`deleted file mode ${before.mode}`]
  return before.mode === after.mode ? [] : [`old mode ${before.mode}`, `new mode ${after.mode}`]
}

function renameLines({ path, before, after, renamedFrom }: PatchFile): readonly string[] {
  if (renamedFrom === undefined) return []
  const percent = similarity(before?.bytes ?? noContent, after?.bytes ?? noContent)
  return [`similarity index ${percent}%`, `rename from ${quoteName(renamedFrom)}`, `rename to ${quoteName(path)}`]
}

function nameLines({ path, renamedFrom, before, after }: PatchFile): readonly string[] {
  return [
    `--- ${before ? nameLine(`a/${renamedFrom ?? path}`) : '/dev/null'}`,
    `+++ ${after ? nameLine(`b/${path}`) : '/dev/null'}`,
  ]
}

function literal(bytes: Uint8Array, deflate: Deflate): readonly string[] {
  return [`literal ${bytes.length}`, ...encodeLines(deflate.deflate(bytes)), '']
}
