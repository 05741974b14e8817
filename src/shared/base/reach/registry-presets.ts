import { hostProblem } from './host-names.ts'

/** Registries of packages that a person can grant by name, without knowing their hosts. */
const registryNames = ['npm', 'pypi', 'cargo', 'go', 'maven', 'rubygems', 'packagist'] as const
export type RegistryName = (typeof registryNames)[number]

/** How a grant names a registry: `preset:npm`. */
export type RegistryPreset = `preset:${RegistryName}`

const prefix = 'preset:'

/** The registry that a grant names. Undefined for a host, and for an unknown preset. */
export function registryIn(text: string): RegistryName | undefined {
  return registryNames.find((name) => text === `${prefix}${name}`)
}

/** Why a text that looks like a preset is none, as a sentence. Null for a preset, undefined for anything else. */
export function presetProblem(text: string): string | null | undefined {
  if (!text.startsWith(prefix)) return undefined
  if (registryIn(text) !== undefined) return null
  const known = registryNames.map((name) => `${prefix}${name}`).join(', ')
  return `${JSON.stringify(text.slice(0, 80))} is not a preset. The presets are ${known}.`
}

/** Why a text names neither hosts nor a preset that a person can grant, as a sentence. Null for one that does. */
export function grantProblem(text: string): string | null {
  const preset = presetProblem(text)
  return preset === undefined ? hostProblem(text) : preset
}
