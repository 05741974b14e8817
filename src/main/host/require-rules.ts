import { parseRule } from '#core/approval/rules.ts'
import { WireError } from '#shared/contract/wire-errors.ts'

/** Refuses text that is no rule before it is stored or tried. */
export function requireRules(rules: readonly string[]): void {
  const wrong = rules.find((rule) => parseRule(rule) === undefined)
  if (wrong === undefined) return
  throw new WireError(
    'BAD_REQUEST',
    `${JSON.stringify(wrong)} is not a rule. Write the name of a tool, or a tool and a pattern: execute(npm run *), read_file(docs/**).`,
  )
}
