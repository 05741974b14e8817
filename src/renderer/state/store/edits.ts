/** A changed text that is not saved or sent yet. */
export interface Edit {
  /** What the text is based on, so that a later version of it is noticed. */
  readonly before: string
  readonly typed: string
}

/** The open edits of the window, by what they change. */
export type Edits = Readonly<Record<string, Edit>>

/** Keeps or, for null, closes one edit. */
export function changeEdit(edits: Edits, key: string, edit: Edit | null): Edits {
  const kept = Object.fromEntries(Object.entries(edits).filter(([other]) => other !== key))
  return edit ? { ...kept, [key]: edit } : kept
}
