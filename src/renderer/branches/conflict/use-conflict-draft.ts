import { useEffect, useMemo, useState } from 'react'
import * as z from 'zod/mini'
import type { ConflictSides } from '#shared/contract/views/branches.ts'
import { readSaved, type SavedFormat, writeSaved } from '../../state/preferences/saved.ts'
import { type ConflictResult, startResult, typeInto } from './conflict-result.ts'
import { type ConflictPart, conflictParts } from './conflict-text.ts'

interface SavedDraft extends ConflictResult {
  /** Identifies the versions that it was made from. */
  readonly of: string
  /** True once it was saved to the workspace. It comes back if that is undone. */
  readonly done: boolean
}

const format: SavedFormat<SavedDraft> = {
  name: 'the draft of a conflict',
  version: 1,
  schema: z.object({
    of: z.string(),
    done: z.boolean(),
    text: z.string(),
    typed: z.boolean(),
    parts: z.array(
      z.object({
        from: z.number(),
        to: z.number(),
        choice: z.nullable(z.enum(['ours', 'theirs', 'both', 'both_reversed'])),
        typed: z.boolean(),
      }),
    ),
  }),
}

interface ConflictDraft {
  readonly parts: readonly ConflictPart[]
  readonly result: ConflictResult
  /** True if a side changed after the person typed. The text is kept. */
  readonly outdated: boolean
  /** False if there was no room to keep the draft. */
  readonly kept: boolean
  change(result: ConflictResult): void
  /** Call when the result was saved. */
  finish(): void
}

/**
 * What a person has decided and typed about a conflict, not saved to the workspace yet. It outlives tabs and reloads,
 * and all windows of this app share it.
 *
 * @param key names the conflict; null keeps the draft only while it is on screen
 */
export function useConflictDraft(key: string | null, { base, ours, theirs }: ConflictSides): ConflictDraft {
  const [parts, first, of] = useMemo(() => {
    const split = ours !== null && theirs !== null ? conflictParts(base ?? '', ours, theirs) : []
    const alone = { text: ours ?? theirs ?? '', parts: [], typed: false }
    return [split, split.length > 0 ? startResult(split) : alone, fingerprint([base, ours, theirs])] as const
  }, [base, ours, theirs])
  const [held, setHeld] = useState<SavedDraft | null>(() => readDraft(key))
  const [kept, setKept] = useState(true)
  useEffect(() => {
    const hear = (event: StorageEvent): void => {
      if (key !== null && event.key === key) setHeld(readDraft(key))
    }
    addEventListener('storage', hear)
    return () => removeEventListener('storage', hear)
  }, [key])
  const isCurrent = held?.of === of
  const outdated = held !== null && !isCurrent && held.typed && !held.done
  const result = useMemo(() => {
    if (isCurrent) return held
    return outdated ? typeInto(first, held.text) : first
  }, [isCurrent, outdated, held, first])

  function keep(draft: SavedDraft): void {
    setHeld(draft)
    if (key === null) return
    writeSaved(localStorage, key, format, draft)
    setKept(readDraft(key)?.text === draft.text)
  }
  return {
    parts,
    result,
    outdated,
    kept,
    change: ({ text, typed, parts: places }) => keep({ of, done: false, text, typed, parts: places }),
    finish: () => keep({ of, done: true, text: result.text, typed: result.typed, parts: result.parts }),
  }
}

function readDraft(key: string | null): SavedDraft | null {
  if (key === null) return null
  const saved = readSaved(localStorage, key, format)
  return saved.state === 'read' ? saved.value : null
}

/** A short text that differs when one of the versions differs (FNV-1a). */
function fingerprint(versions: readonly (string | null)[]): string {
  let hash = 0x811c9dc5
  for (const version of versions) {
    const text = version ?? ''
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
    hash = Math.imul(hash ^ (version === null ? 1 : 2), 0x01000193)
  }
  return `${versions.map((version) => version?.length ?? -1).join(' ')} ${(hash >>> 0).toString(16)}`
}
