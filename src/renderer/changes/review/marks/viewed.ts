import { useEffect, useMemo, useState } from 'react'
import * as z from 'zod/mini'
import type { FileChange } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { readSaved, type SavedFormat, type SavedStorage, writeSaved } from '../../../state/preferences/saved.ts'

/** What each file was like at some moment, as `changeKey` names it. */
export type Marks = Readonly<Record<string, string>>

/** How marks are kept. `name` is for people. */
export function marksFormat(name: string): SavedFormat<{ readonly files: Marks }> {
  return { name, version: 1, schema: z.object({ files: z.record(z.string(), z.string()) }) }
}

/** Of the moment when a person marked a file as viewed. */
const format = marksFormat('the viewed files of a branch')

/** Names a change. Another name means that the file changed since. */
export function changeKey({ identity, kind, size, added, removed }: FileChange): string {
  return identity ?? `${kind} ${size} ${added} ${removed}`
}

/** The changes that are still as they were when they were marked. */
export function viewedOf(changes: readonly FileChange[], marks: Marks): ReadonlySet<VirtualPath> {
  const isViewed = (change: FileChange): boolean => marks[change.path] === changeKey(change)
  const marked = Object.keys(marks).length === 0 ? [] : changes.filter(isViewed)
  return new Set(marked.map(({ path }) => path))
}

/** Marks that name files which are no longer changed are dropped. */
export function withMark(marks: Marks, changes: readonly FileChange[], change: FileChange, viewed: boolean): Marks {
  const kept = Object.fromEntries(changes.flatMap(({ path }) => (marks[path] ? [[path, marks[path]]] : [])))
  if (viewed) return { ...kept, [change.path]: changeKey(change) }
  const { [change.path]: _, ...rest } = kept
  return rest
}

interface Viewed {
  readonly paths: ReadonlySet<VirtualPath>
  mark(change: FileChange, viewed: boolean): void
}

/** The files of a branch that the person has viewed, in all windows and after a reload. */
export function useViewed(key: string, changes: readonly FileChange[]): Viewed {
  const [marks, setMarks] = useState(() => readMarks(localStorage, key))
  useEffect(() => {
    const hear = (event: StorageEvent): void => {
      if (event.key === key) setMarks(readMarks(localStorage, key))
    }
    addEventListener('storage', hear)
    return () => removeEventListener('storage', hear)
  }, [key])
  function mark(change: FileChange, viewed: boolean): void {
    const next = withMark(readMarks(localStorage, key), changes, change, viewed)
    writeSaved(localStorage, key, format, { files: next })
    setMarks(next)
  }
  const paths = useMemo(() => viewedOf(changes, marks), [changes, marks])
  return { paths, mark }
}

function readMarks(storage: SavedStorage, key: string): Marks {
  const saved = readSaved(storage, key, format)
  return saved.state === 'read' ? saved.value.files : {}
}
