import type { BranchView } from './branch-views.ts'

export interface ShellRequest {
  readonly command: string
  readonly timeoutMs: number
  /** Where it runs: the caller opens it, and captures what changed. */
  readonly view: BranchView
  /** What a person lets this command reach, where the sandbox cuts off the network. */
  readonly hosts?: readonly string[]
  /** Gives the command the function `spawn_subagent`, which declares tasks. */
  readonly declares?: boolean
  /** Called with output as it comes, standard output and standard error together. */
  readonly onOutput: (text: string) => void
}

export interface ShellOutcome {
  /** Null when a signal ended the command. */
  readonly exitCode: number | null
  readonly signal: string | null
  /** Cut in the middle beyond 1 MB. */
  readonly output: string
  readonly omittedBytes: number
  /** `disk`: it took more space than a command may, or left too little for others. */
  readonly endedBy: 'itself' | 'time' | 'disk'
  readonly durationMs: number
  /** What the sandbox kept it from, as far as that is known: hosts, and what the command itself said. */
  readonly denied: readonly string[]
  /** What the command declared, in its order: JSON as it was written, which may be broken. It is not in the output. */
  readonly declared: readonly string[]
}

/** Whether commands are kept from the rest of the machine, and why they are or are not. Unless it is `on`, every command asks. */
export interface SandboxState {
  readonly state: 'on' | 'partial' | 'off'
  readonly reason: string
}

/** Runs commands in the view of a branch and leaves none of what they start behind. */
export interface Shell {
  execute(request: ShellRequest, signal: AbortSignal): Promise<ShellOutcome>
  sandbox(): SandboxState
}

export class ShellError extends Error {
  readonly code: 'unavailable'

  constructor(code: ShellError['code'], message: string) {
    super(message)
    this.name = 'ShellError'
    this.code = code
  }
}
