/** Why an update did not come. `damaged` files were thrown away. */
export type UpdateProblem = 'network' | 'disk' | 'damaged' | 'refused' | 'other'

/** A version that can be had, with what the people who made it say about it. */
export interface NewVersion {
  readonly version: string
  /** Markdown of strangers; empty for none. */
  readonly notes: string
}

export type UpdateState =
  /** Another program brings new versions. `command` is what a person types; null when a word must do. */
  | { readonly kind: 'managed'; readonly by: 'npm' | 'deb' | 'rpm' | 'source'; readonly command: string }
  /** `checkedAt` in milliseconds since the Unix epoch; null before the first check. */
  | { readonly kind: 'current'; readonly checkedAt: number | null }
  | { readonly kind: 'checking' }
  /** `share` from 0 to 1. */
  | { readonly kind: 'downloading'; readonly found: NewVersion; readonly share: number }
  | { readonly kind: 'ready'; readonly found: NewVersion }
  /** The person wants it, and agents still work. */
  | { readonly kind: 'waiting'; readonly found: NewVersion; readonly working: number }
  | { readonly kind: 'installing'; readonly found: NewVersion }
  /** `found` is the version that did not come; null when the check itself failed. */
  | {
      readonly kind: 'failed'
      readonly problem: UpdateProblem
      readonly detail: string
      readonly found: NewVersion | null
    }

/** What a person sees of updates. */
export interface UpdateView {
  readonly state: UpdateState
  /** Whether Coppice looks for updates once a day by itself. Never where another program brings them. */
  readonly isAutomatic: boolean
}
