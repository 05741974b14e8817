export const ruleEffects = ['deny', 'ask', 'allow'] as const
export type RuleEffect = (typeof ruleEffects)[number]

/**
 * Rules as written in settings: `tool` or `tool(pattern)`. Deny rules come before ask rules, and ask before allow; the
 * first match decides.
 */
export type PermissionRules = Readonly<Record<RuleEffect, readonly string[]>>

/**
 * When a command in the sandbox is approved: before it runs, after it ran, when its effects are known, or by itself. The
 * strictest is first.
 */
export const commandApprovals = ['before', 'after', 'adopt'] as const
export type CommandApproval = (typeof commandApprovals)[number]

/** A rule that can never decide. */
export interface DeadRule {
  readonly effect: RuleEffect
  readonly text: string
  /** The rule that always decides first; null when no call could ever fit. */
  readonly because: string | null
  /** Why no call could ever fit, and what was probably meant. Absent when another rule decides first. */
  readonly problem?: string
}

/** A problem in a settings text. */
export interface SettingsProblem {
  /** 1-based; null when the whole text is meant. */
  readonly line: number | null
  /** The outermost key that it is about, even an unknown one. Null for what is wrong with the whole text. */
  readonly about: string | null
  readonly message: string
  /** False for a part that is kept but not used. It does not prevent saving. */
  readonly wrong: boolean
  /** Set when the setting, or a name in it, stands twice. A change of it would have no effect. */
  readonly twice?: true
  /** Set when something that guards is not used because of it, so that no work starts before it is corrected. */
  readonly gate?: true
}

/** Whether settings of these keys may be lost by a problem. What is wrong with a whole text concerns all of them. */
export function concerns({ about }: Pick<SettingsProblem, 'about'>, keys: readonly string[]): boolean {
  return about === null || keys.includes(about)
}

/** What a person can write into the settings file at one place. */
export interface SettingReference {
  /** With dots, such as `runner.timeout_ms`. */
  readonly path: string
  /** The values that it takes, in words. */
  readonly takes: string
  /** The value without the setting, as JSON. Null when there is none, or when it depends on the version. */
  readonly usual: string | null
  readonly description: string
}

/** How to reach a server of the Model Context Protocol, as written in its definition. */
export type McpTransport =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'http'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      /** Absent when Coppice finds out how to log in. */
      readonly oauth?: McpOAuth
    }

/** What a person registered for logins to a server, where it does not let Coppice register itself. */
export interface McpOAuth {
  readonly clientId?: string
  /** May name a variable, as `${NAME}`. */
  readonly clientSecret?: string
  /** The port of 127.0.0.1 that people are sent back to. Absent for any. */
  readonly callbackPort?: number
  /** Rights to ask for, with spaces between them. Absent for those that the server names. */
  readonly scopes?: string
}

/** The parts of an agent that can be switched off, moved or set. */
export const stageNames = ['todo', 'files', 'memory', 'skills', 'summary', 'eviction', 'cache', 'approvals'] as const
export type StageName = (typeof stageNames)[number]

/** The moments at which a program of one's own is asked. */
export const programMoments = ['request', 'call', 'result'] as const
export type ProgramMoment = (typeof programMoments)[number]
