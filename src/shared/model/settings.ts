export const ruleEffects = ['deny', 'ask', 'allow'] as const
export type RuleEffect = (typeof ruleEffects)[number]

/** Rules as they are written in settings: `tool` or `tool(pattern)`. The first that matches decides, deny before ask before allow. */
export type PermissionRules = Readonly<Record<RuleEffect, readonly string[]>>

/** A rule that can never decide. */
export interface DeadRule {
  readonly effect: RuleEffect
  readonly text: string
  /** The rule that always decides before it; null where the text is no rule at all. */
  readonly because: string | null
}

/** What is wrong in a settings text. */
export interface SettingsProblem {
  /** 1-based; null where the whole text is meant. */
  readonly line: number | null
  readonly message: string
  /** False for what is kept and not used, which keeps nobody from saving. */
  readonly wrong: boolean
}

/** How a server of the Model Context Protocol is reached, as it is written where it is defined. */
export type McpTransport =
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
