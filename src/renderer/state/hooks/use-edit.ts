import { useCallback } from 'react'
import { changeEdit, type Edit } from '../store/edits.ts'
import { useApp, useSession } from './hooks.tsx'

/**
 * The edit under `key`, or null, with a function that keeps another or, for null, closes it. It stays when the person
 * goes elsewhere or loads the page again.
 */
export function useEdit(key: string): readonly [Edit | null, (edit: Edit | null) => void] {
  const { store } = useSession()
  const edit = useApp(({ edits }) => edits[key] ?? null)
  const change = useCallback(
    (next: Edit | null) => store.setState(({ edits }) => ({ edits: changeEdit(edits, key, next) })),
    [store, key],
  )
  return [edit, change]
}
