import type { Settings } from '#adapters/settings/settings-schema.ts'
import type { PermissionRules } from '#shared/model/settings.ts'

/** What changes a memory, by whatever tool or code it does so. */
const changing = ['write_file', 'edit_file', 'delete', 'move'].map((tool) => `${tool}(/memories/**)`)

/** The rules by which memories wait for a person, where `memory.approve` says so. A rule that denies still comes first. */
export function withMemoryRules(rules: PermissionRules, { memory }: Pick<Settings, 'memory'>): PermissionRules {
  return memory?.approve === true ? { ...rules, ask: [...rules.ask, ...changing] } : rules
}
