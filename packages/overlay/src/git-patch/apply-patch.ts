import type { Deflate } from '../ports/hashing.ts'
import type { Pace } from '../ports/pace.ts'
import { decodeLines } from './base85.ts'
import {
  fromBinaryText,
  type PatchFile,
  type PatchSide,
  regularMode,
  sameBytes,
  splitLines,
  toBinaryText,
} from './patch-file.ts'
import { PatchSyntaxError, type ReadHunk, type ReadPatchFile, readPatch } from './read-patch.ts'

/** A patch that does not fit the files it is applied to. */
export class PatchApplyError extends Error {
  readonly path: string

  constructor(path: string, message: string) {
    super(`${path}: ${message}`)
    this.name = 'PatchApplyError'
    this.path = path
  }
}

/**
 * The files after the patch. It applies as a whole or not at all, and hunks must fit exactly at their lines, without
 * fuzz.
 */
export async function applyPatchTo(
  files: ReadonlyMap<string, PatchSide>,
  patch: readonly ReadPatchFile[],
  deflate: Deflate,
  pace: Pace,
): Promise<Map<string, PatchSide>> {
  const result = new Map(files)
  const written: (readonly [string, PatchSide])[] = []
  for (const part of patch) {
    const before = part.from === null ? null : sourceOf(files, part.from)
    if (part.to !== null)
      written.push([
        part.to,
        { mode: part.newMode ?? before?.mode ?? regularMode, bytes: contentOf(part, before, deflate) },
      ])
    else if (before) contentOf(part, before, deflate)
    if (part.from !== null && (part.isRename || part.to === null)) result.delete(part.from)
    await pace()
  }
  const inPlace = new Set(patch.flatMap(({ from, to }) => (from === to && to !== null ? [to] : [])))
  for (const [path, side] of written) {
    if (!inPlace.has(path) && result.has(path)) throw new PatchApplyError(path, 'it is already there.')
    result.set(path, side)
  }
  return result
}

function sourceOf(files: ReadonlyMap<string, PatchSide>, path: string): PatchSide {
  const side = files.get(path)
  if (!side) throw new PatchApplyError(path, 'it is not there.')
  return side
}

function contentOf(part: ReadPatchFile, before: PatchSide | null, deflate: Deflate): Uint8Array {
  const old = before?.bytes ?? new Uint8Array()
  if (part.literal) return deflate.inflate(decodeLines(part.literal.lines), part.literal.size)
  return part.hunks.length > 0 ? applyHunks(part.to ?? part.from ?? '', old, part.hunks) : old
}

function applyHunks(path: string, bytes: Uint8Array, hunks: readonly ReadHunk[]): Uint8Array {
  const lines = splitLines(toBinaryText(bytes))
  const result: string[] = []
  let next = 0
  for (const hunk of hunks) {
    const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1
    if (start < next) throw new PatchApplyError(path, 'its hunks overlap.')
    if (start > lines.length) throw new PatchApplyError(path, `it has no line ${hunk.oldStart}.`)
    result.push(...lines.slice(next, start))
    next = start
    for (const { sign, text: line } of wholeLines(hunk)) {
      if (sign !== '+') {
        if (lines[next] !== line) throw new PatchApplyError(path, `line ${next + 1} is not as the patch says.`)
        next += 1
      }
      if (sign !== '-') result.push(line)
    }
  }
  return fromBinaryText([...result, ...lines.slice(next)].join(''))
}

/**
 * The hunk's lines with their line ends. The mark "\ No newline at end of file" removes the end of the line before it.
 */
function wholeLines({ lines }: ReadHunk): readonly { readonly sign: string; readonly text: string }[] {
  return lines.flatMap((line, index) => {
    if (line.startsWith('\\')) return []
    const end = lines[index + 1]?.startsWith('\\') ? '' : '\n'
    return [{ sign: line[0] ?? ' ', text: `${line.slice(1)}${end}` }]
  })
}

export interface VerifyOptions {
  /** In git's format. */
  readonly patch: Uint8Array
  /** The files that must result. */
  readonly files: readonly PatchFile[]
  /** The files that the patch is applied to; paths relative to the root. */
  readonly base: readonly (PatchSide & { readonly path: string })[]
  /** Unpacks binary files. */
  readonly deflate: Deflate
  /** Awaited between files. */
  readonly pace: Pace
}

/**
 * Reads a patch back and applies it to the base files. Null when exactly the wanted files result, otherwise the
 * problem.
 */
export async function verifyPatch({ patch, files, base, deflate, pace }: VerifyOptions): Promise<string | null> {
  try {
    const result = await applyPatchTo(sidesOf(base), await readPatch(patch, pace), deflate, pace)
    return await difference(result, wantedFiles({ files, base }), pace)
  } catch (error) {
    if (error instanceof PatchSyntaxError || error instanceof PatchApplyError || error instanceof RangeError)
      return error.message
    throw error
  }
}

/** The base files after a patch of these files, by path. */
export function wantedFiles({ files, base }: Pick<VerifyOptions, 'files' | 'base'>): ReadonlyMap<string, PatchSide> {
  const wanted = sidesOf(base)
  for (const { path, before, renamedFrom } of files) if (before) wanted.delete(renamedFrom ?? path)
  for (const { path, after } of files) if (after) wanted.set(path, after)
  return wanted
}

function sidesOf(base: VerifyOptions['base']): Map<string, PatchSide> {
  return new Map(base.map(({ path, mode, bytes }) => [path, { mode, bytes }]))
}

async function difference(
  result: ReadonlyMap<string, PatchSide>,
  wanted: ReadonlyMap<string, PatchSide>,
  pace: Pace,
): Promise<string | null> {
  for (const path of new Set([...result.keys(), ...wanted.keys()])) {
    const [got, want] = [result.get(path), wanted.get(path)]
    if (!got || !want) return `${path} is ${got ? 'there and should not be' : 'missing'}.`
    if (got.mode !== want.mode) return `${path} has the mode ${got.mode} instead of ${want.mode}.`
    if (!sameBytes(got.bytes, want.bytes)) return `${path} has other content.`
    await pace()
  }
  return null
}
