import type { VirtualPath } from '#shared/model/virtual-path.ts'

/** How the throw-away view differs from the base: the branch's overlay, ready to be written out. */
export type ViewEntry =
  | { readonly kind: 'file'; readonly path: VirtualPath; readonly bytes: Uint8Array; readonly executable: boolean }
  | { readonly kind: 'symlink'; readonly path: VirtualPath; readonly target: string }
  /** `opaque`: what the base holds below is hidden. */
  | { readonly kind: 'directory'; readonly path: VirtualPath; readonly opaque: boolean }
  | { readonly kind: 'absent'; readonly path: VirtualPath }

export interface ShellRequest {
  readonly command: string
  readonly timeoutMs: number
  /** Sorted by path, so that folders come before what is in them. */
  readonly overlay: readonly ViewEntry[]
  /** Gives the command the function `spawn_subagent`, which declares tasks. */
  readonly declares?: boolean
  /** Called with output as it comes, standard output and standard error together. */
  readonly onOutput: (text: string) => void
}

export type ViewChange =
  | { readonly kind: 'file'; readonly path: VirtualPath; readonly bytes: Uint8Array; readonly executable: boolean }
  | { readonly kind: 'symlink'; readonly path: VirtualPath; readonly target: string }
  | { readonly kind: 'directory'; readonly path: VirtualPath }
  | { readonly kind: 'absent'; readonly path: VirtualPath }

export interface ShellOutcome {
  /** Null when a signal ended the command. */
  readonly exitCode: number | null
  readonly signal: string | null
  /** Cut in the middle beyond 1 MB. */
  readonly output: string
  readonly omittedBytes: number
  readonly timedOut: boolean
  readonly durationMs: number
  /** What the command changed in its view, `.git` and ignored files left out. */
  readonly changes: readonly ViewChange[]
  readonly ignoredChanges: number
  /** What the command declared, in its order: JSON as it was written, which may be broken. It is not in the output. */
  readonly declared: readonly string[]
}

export interface SandboxState {
  readonly state: 'on' | 'partial' | 'off'
  readonly reason: string
}

/** Runs commands in a throw-away view of a branch; the user's folder is never the working directory. */
export interface Shell {
  execute(request: ShellRequest, signal: AbortSignal): Promise<ShellOutcome>
  sandbox(): SandboxState
}

export class ShellError extends Error {
  readonly code: 'unavailable' | 'view_failed'

  constructor(code: ShellError['code'], message: string) {
    super(message)
    this.name = 'ShellError'
    this.code = code
  }
}
