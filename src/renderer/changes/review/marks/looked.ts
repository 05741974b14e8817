import { useEffect, useState } from 'react'
import type { FileChange } from '#shared/model/branch.ts'
import { readSaved, type SavedStorage, writeSaved } from '../../../state/preferences/saved.ts'
import { useStable } from '../../../ui/react/use-stable.ts'
import { changeKey, type Marks, marksFormat } from './viewed.ts'

/** Of the moment when the person last left the review. */
const format = marksFormat('the last look at a branch')

/** Files that are remembered. What a browser keeps is small. Those beyond are shown as changed. */
const mostFiles = 5_000

/** The changes that are there since, or are other ones. All of them when nobody has looked before. */
export function changedSince(changes: readonly FileChange[], looks: Marks | null): readonly FileChange[] {
  return looks === null ? changes : changes.filter((change) => looks[change.path] !== changeKey(change))
}

/**
 * What the files of a branch were like when the person last left its review; null for never. Stays as it was while the review is
 * open, and is what it is now from when it closes.
 */
export function useLastLook(key: string, changes: readonly FileChange[]): Marks | null {
  const [looks] = useState(() => readLooks(localStorage, key))
  const save = useStable(() => saveLooks(localStorage, key, changes))
  useEffect(() => {
    addEventListener('pagehide', save)
    return () => {
      removeEventListener('pagehide', save)
      save()
    }
  }, [save])
  return looks
}

function readLooks(storage: SavedStorage, key: string): Marks | null {
  const saved = readSaved(storage, key, format)
  return saved.state === 'read' ? saved.value.files : null
}

function saveLooks(storage: SavedStorage, key: string, changes: readonly FileChange[]): void {
  const files = Object.fromEntries(changes.slice(0, mostFiles).map((change) => [change.path, changeKey(change)]))
  writeSaved(storage, key, format, { files })
}
