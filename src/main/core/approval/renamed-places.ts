import type { PermissionRules } from '#shared/model/settings.ts'
import type { InterruptSettings } from './interrupt-settings.ts'

/** A place that has another name in a project which has its usual one itself. Both with a slash at both ends. */
export interface PlaceName {
  readonly usual: string
  readonly prefix: string
}

/**
 * Rules and settings hold for a place by whatever name it has: each that names the usual one also counts for the one in use.
 * Else a folder could lift them by having a folder of that name.
 */
export function rulesByAnyName(rules: PermissionRules, places: readonly PlaceName[]): PermissionRules {
  const renamed = places.filter(({ usual, prefix }) => usual !== prefix)
  if (renamed.length === 0) return rules
  const all = (list: readonly string[]) => [...list, ...renamed.flatMap((place) => list.flatMap(ruleAbout(place)))]
  return { ...rules, deny: all(rules.deny), ask: all(rules.ask), allow: all(rules.allow) }
}

/** The same for the patterns of settings. */
export function settingsByAnyName(settings: InterruptSettings, places: readonly PlaceName[]): InterruptSettings {
  const renamed = places.filter(({ usual, prefix }) => usual !== prefix)
  if (renamed.length === 0) return settings
  return new Map(
    [...settings].map(([name, setting]) => {
      if (typeof setting !== 'object' || setting.when === undefined) return [name, setting]
      const { when } = setting
      const more = renamed.flatMap((place) => when.flatMap((pattern) => inPlace(pattern, place)))
      return [name, { ...setting, when: [...when, ...more] }]
    }),
  )
}

/** `Write(/memories/**)` as `Write(/memories-1/**)`; nothing for a rule about something else. */
function ruleAbout(place: PlaceName): (rule: string) => readonly string[] {
  return (rule) => {
    const start = rule.indexOf('(') + 1
    return start === 0 ? [] : inPlace(rule.slice(start, -1), place).map((one) => `${rule.slice(0, start)}${one})`)
  }
}

function inPlace(pattern: string, { usual, prefix }: PlaceName): readonly string[] {
  return `${pattern}/`.startsWith(usual) ? [`${prefix}${pattern.slice(usual.length)}`.replace(/\/$/, '')] : []
}
