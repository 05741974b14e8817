import { type DeadRule, type PermissionRules, type RuleEffect, ruleEffects } from '#shared/model/permission-rule.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { namesCommand } from './command-patterns.ts'
import { holdsFor, matchesPath, parseRule, type Rule } from './rules.ts'

/** Rules that can never decide anything: a stronger one covers them, or they cannot be read. */
export function deadRules(rules: PermissionRules): readonly DeadRule[] {
  const stronger: Record<RuleEffect, readonly string[]> = {
    deny: [],
    ask: rules.deny,
    allow: [...rules.deny, ...rules.ask],
  }
  return ruleEffects.flatMap((effect) =>
    rules[effect].flatMap((text): DeadRule[] => {
      const rule = parseRule(text)
      if (!rule) return [{ effect, text, because: null }]
      const because = stronger[effect].find((other) => covers(parseRule(other), rule))
      return because === undefined ? [] : [{ effect, text, because }]
    }),
  )
}

/** A pattern that matches the text of another, stars and all, matches whatever that one does: only a star fits a star. */
function covers(strong: Rule | undefined, weak: Rule): boolean {
  if (!strong || !holdsFor(strong, weak.tool)) return false
  if (strong.pattern === null) return true
  if (weak.pattern === null) return false
  if (weak.tool === 'execute') return namesCommand(strong.pattern, weak.pattern.replace(/:\*$/, ' *'))
  const path = weak.pattern.startsWith('/') ? weak.pattern : `/${weak.pattern.replace(/^\.\//, '')}`
  return matchesPath(strong.pattern, path as VirtualPath)
}
