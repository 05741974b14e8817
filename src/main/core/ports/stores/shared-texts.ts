import { defineError } from '#shared/base/define-error.ts'

/**
 * Texts that all projects of a person share. Several processes may use them at once: a commit makes all of its changes
 * or none, and one that was prepared with an older version of a text is refused. Throws `SharedTextsError`.
 */
export interface SharedTexts {
  /** In no particular order. */
  list(): readonly SharedText[]
  /** Undefined when there is no such text. */
  read(name: string): Uint8Array | undefined
  /** Makes all changes durable. Throws `moved_on` when one of the texts has another version than its change expects. */
  commit(changes: readonly SharedChange[]): void
}

export interface SharedText {
  /** A virtual path such as `/notes/style.md`. */
  readonly name: string
  /** In bytes. */
  readonly size: number
  /** Milliseconds since the Unix epoch. */
  readonly modified: number
  /** Never used again, even when the text is deleted and written anew. */
  readonly version: number
}

export interface SharedChange {
  readonly name: string
  /** Null deletes the text. */
  readonly bytes: Uint8Array | null
  /** The version that the change was made from; null when there was no such text. */
  readonly from: number | null
}

export const SharedTextsError = defineError<'moved_on' | 'unavailable'>('SharedTextsError')
export type SharedTextsError = InstanceType<typeof SharedTextsError>
