import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { editedText, pathOf, textOf } from './project-text.ts'

/** A file of a generated project that is to be otherwise: its path without a slash in front, and null where it goes. */
export interface Change {
  readonly path: string
  readonly text: string | null
}

/** Shares no factor with the sizes of projects, so that the changed files lie all over them. */
const stride = 7_919

/** Of ten changes eight edit a file, one deletes one and one adds one; more changes begin with the fewer ones. */
export function changesOf(files: number, bytesEach: number, count: number): readonly Change[] {
  return Array.from({ length: count }, (_, index) => {
    const file = (index * stride) % files
    if (index % 10 === 4) return { path: pathOf(file), text: null }
    if (index % 10 === 8) return { path: `${dirname(pathOf(file))}/added-${index}.ts`, text: textOf(index, bytesEach) }
    return edit(file, bytesEach, 0.2, 'changed')
  })
}

/** Edits of `count` files that `changesOf` edits too, in another place of each. */
export function editsBeside(files: number, bytesEach: number, count: number): readonly Change[] {
  const both = changesOf(files, bytesEach, 2 * count).flatMap(({ text }, index) =>
    text !== null && index % 10 !== 8 ? [(index * stride) % files] : [],
  )
  return both.slice(0, count).map((file) => edit(file, bytesEach, 0.8, 'meanwhile'))
}

function edit(file: number, bytesEach: number, part: number, what: string): Change {
  return { path: pathOf(file), text: editedText(textOf(file, bytesEach), part, what) }
}

/** Makes the changes in a folder; a file is replaced, not written into, for it may have other names. */
export function writeChanges(folder: string, changes: readonly Change[]): void {
  for (const { path, text } of changes) {
    const location = join(folder, path)
    rmSync(location, { force: true })
    if (text === null) continue
    mkdirSync(dirname(location), { recursive: true })
    writeFileSync(location, text)
  }
}
