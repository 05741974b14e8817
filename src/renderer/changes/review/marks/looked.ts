import { useEffect, useRef, useState } from 'react'
import * as z from 'zod/mini'
import type { FileChange } from '#shared/model/branch.ts'
import { readSaved, type SavedFormat, type SavedStorage, writeSaved } from '../../../state/preferences/saved.ts'
import { changeKey } from './viewed.ts'

/** What each changed file was like when the person last left the review. */
type Looks = Readonly<Record<string, string>>

const format: SavedFormat<{ readonly files: Looks }> = {
  name: 'the last look at a branch',
  version: 1,
  schema: z.object({ files: z.record(z.string(), z.string()) }),
}

/** Files that are remembered. What a browser keeps is small. Those beyond are shown as changed. */
const mostFiles = 5_000

/** The changes that are there since, or are other ones. All of them when nobody has looked before. */
export function changedSince(changes: readonly FileChange[], looks: Looks | null): readonly FileChange[] {
  return looks === null ? changes : changes.filter((change) => looks[change.path] !== changeKey(change))
}

/**
 * What the files of a branch were like when the person last left its review; null for never. Stays as it was while the review is
 * open, and is what it is now from when it closes.
 */
export function useLastLook(key: string, changes: readonly FileChange[]): Looks | null {
  const [looks] = useState(() => readLooks(localStorage, key))
  const newest = useRef(changes)
  newest.current = changes
  useEffect(() => {
    const save = (): void => saveLooks(localStorage, key, newest.current)
    addEventListener('pagehide', save)
    return () => {
      removeEventListener('pagehide', save)
      save()
    }
  }, [key])
  return looks
}

function readLooks(storage: SavedStorage, key: string): Looks | null {
  const saved = readSaved(storage, key, format)
  return saved.state === 'read' ? saved.value.files : null
}

function saveLooks(storage: SavedStorage, key: string, changes: readonly FileChange[]): void {
  const files = Object.fromEntries(changes.slice(0, mostFiles).map((change) => [change.path, changeKey(change)]))
  writeSaved(storage, key, format, { files })
}
