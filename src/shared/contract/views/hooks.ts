import type { HookEvent, HookSource } from '../../model/calls/hooks.ts'

/** A hook as the settings show it. */
export interface HookView {
  /** Identifies exactly this definition. */
  readonly hash: string
  readonly event: HookEvent
  /** Null for everything that the event is about. */
  readonly matcher: string | null
  /** A rule about calls. Null for none. */
  readonly condition: string | null
  readonly command: string
  readonly source: HookSource
  readonly file: string
  /** Where it runs: on this machine as the person, or in the sandbox over the files of the branch. */
  readonly where: 'machine' | 'sandbox'
  /** `waits`: a hook of the project that a person has not approved as it is now. */
  readonly state: 'on' | 'off' | 'waits'
  /** What went wrong with it last. Null for nothing. */
  readonly problem: string | null
  readonly timeoutMs: number
  readonly inBackground: boolean
  readonly once: boolean
}

export interface HookListView {
  readonly hooks: readonly HookView[]
  /** What of the files does not count, in sentences for a person. */
  readonly problems: readonly string[]
}
