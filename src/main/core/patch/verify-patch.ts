import type { Deflate } from '../ports/hashing.ts'
import type { Pace } from '../ports/pace.ts'
import { applyPatchTo, PatchApplyError } from './apply-patch.ts'
import { type PatchFile, type PatchSide, sameBytes } from './patch-file.ts'
import { PatchSyntaxError, readPatch } from './read-patch.ts'

export interface VerifyOptions {
  readonly patch: Uint8Array
  readonly files: readonly PatchFile[]
  readonly base: readonly (PatchSide & { readonly path: string })[]
  readonly deflate: Deflate
  readonly pace: Pace
}

/** Reads a patch back and applies it to the base files. Null when exactly the wanted files come out, else what is wrong. */
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

/** What the base files are after a patch of these files, by path. */
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
