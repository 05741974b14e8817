import type { JsonObject } from '#shared/base/json.ts'
import { accessOf, findToolFacts, type ToolFacts } from '#shared/tools/tool-facts.ts'
import type { RuleSubject } from './rules.ts'

/** A call as rules see it, by its tool's name. Links are not followed. */
export function subjectOf(name: string, args: JsonObject = {}, facts: Partial<ToolFacts> = {}): RuleSubject {
  const tool = { ...findToolFacts(name), ...facts }
  return { tool, access: accessOf(tool.access, args) }
}
