import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** A place in a file of the workspace. */
export interface FilePlace {
  readonly path: VirtualPath
  /** From 1; null for the whole file. */
  readonly line: number | null
}

const longest = 300
const part = '[\\p{L}\\p{N}_@.+()\\[\\]-]+'
const place = new RegExp(
  `^(?:\\./|/)?(${part}(?:/${part})*\\.[\\p{L}\\p{N}]{1,12})(?::(\\d{1,7})(?:[:-]\\d{1,7})?)?$`,
  'u',
)

/** The place that a text names, such as `src/a.ts:12`; null for other texts. A bare word needs a line or a folder. */
export function placeIn(text: string): FilePlace | null {
  if (text.length > longest || text.includes('..')) return null
  const [, name, line] = place.exec(text) ?? []
  if (name === undefined || (line === undefined && !name.includes('/'))) return null
  return { path: `/${name}` as VirtualPath, line: line === undefined ? null : Number(line) }
}
