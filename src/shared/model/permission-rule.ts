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
