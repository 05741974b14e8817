import type { ImportKind, ImportTool } from '#shared/contract/views/imports.ts'
import type { Place } from './place.ts'

/** One file that an import would write below the app's data folder. */
export interface WrittenFile {
  /** Below the data folder, with slashes. */
  readonly path: string
  readonly text: string
}

/** What a definition of another tool becomes in a place of the person. */
export type Becomes =
  | { readonly to: 'server'; readonly value: Readonly<Record<string, unknown>> }
  | { readonly to: 'agent'; readonly value: Readonly<Record<string, unknown>> & { readonly name: string } }
  | { readonly to: 'rule'; readonly effect: 'deny' | 'ask'; readonly rule: string }
  | { readonly to: 'hook'; readonly event: string; readonly group: Readonly<Record<string, unknown>> }
  | { readonly to: 'files'; readonly files: readonly WrittenFile[] }
  | { readonly to: 'instructions'; readonly text: string }
  | { readonly to: 'memory'; readonly text: string }
  /** Nothing is written, for one of two reasons. */
  | { readonly to: 'nothing'; readonly state: 'read_here' | 'left_out' }

/** A definition that was found, before it is compared with what is here. */
export interface Draft {
  readonly tool: ImportTool
  readonly kind: ImportKind
  readonly name: string
  readonly scope: Place['scope']
  readonly source: string
  readonly becomes: Becomes
  /** What of it is left out or changes, in sentences. */
  readonly notes: readonly string[]
  /** False for one that a person should look at before it is chosen. */
  readonly isWhole: boolean
}

/** Where a draft comes from. */
export type Origin = Pick<Draft, 'tool' | 'kind' | 'scope' | 'source'>

/** Drafts of files that Coppice reads where they are. */
export function readHere(origin: Origin, name: string, ...notes: readonly string[]): Draft {
  return { ...origin, name, becomes: { to: 'nothing', state: 'read_here' }, notes, isWhole: true }
}

/** A draft of what cannot be taken over truly. */
export function leftOut(origin: Origin, name: string, ...why: readonly string[]): Draft {
  return { ...origin, name, becomes: { to: 'nothing', state: 'left_out' }, notes: why, isWhole: false }
}
