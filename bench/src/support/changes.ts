import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { editedText, pathOf, textOf } from './project-text.ts'

/** A change to a file of a generated project. `path` has no leading slash; `text` is null for a deleted file. */
export interface Change {
  readonly path: string
  readonly text: string | null
}

/** Shares no factor with project sizes, so that the changed files are spread over the whole project. */
const stride = 7_919

/**
 * Of every ten changes, eight edit a file, one deletes a file and one adds a file. A longer list starts with the same
 * changes.
 */
export function changesOf(files: number, bytesEach: number, count: number): readonly Change[] {
  return Array.from({ length: count }, (_, index) => {
    const file = (index * stride) % files
    if (index % 10 === 4) return { path: pathOf(file), text: null }
    if (index % 10 === 8) return { path: `${dirname(pathOf(file))}/added-${index}.ts`, text: textOf(index, bytesEach) }
    return edit(file, bytesEach, 0.2, 'changed')
  })
}

/** Edits `count` files that `changesOf` also edits, in a different place of each. */
export function editsBeside(files: number, bytesEach: number, count: number): readonly Change[] {
  const both = changesOf(files, bytesEach, 2 * count).flatMap(({ text }, index) =>
    text !== null && index % 10 !== 8 ? [(index * stride) % files] : [],
  )
  return both.slice(0, count).map((file) => edit(file, bytesEach, 0.8, 'meanwhile'))
}

function edit(file: number, bytesEach: number, part: number, what: string): Change {
  return { path: pathOf(file), text: editedText(textOf(file, bytesEach), part, what) }
}

/**
 * Makes the changes in a folder. Replaces each file instead of writing into it, because the file may have other hard
 * links.
 */
export function writeChanges(folder: string, changes: readonly Change[]): void {
  for (const { path, text } of changes) {
    const location = join(folder, path)
    rmSync(location, { force: true })
    if (text === null) continue
    mkdirSync(dirname(location), { recursive: true })
    writeFileSync(location, text)
  }
}
