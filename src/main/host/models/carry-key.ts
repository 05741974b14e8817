import { readSettings } from '#adapters/settings/settings-file.ts'
import type { SettingsSource } from '../settings/settings-source.ts'
import { isSameOrigin, type OpenProfile } from './open-profile.ts'
import type { Profile, Profiles } from './profiles.ts'

/** True for a profile with a typed key that its new address must not get, because another server answers there. */
export async function losesKey(before: OpenProfile, address: string | null): Promise<boolean> {
  await before.secret.ready
  const source = before.secret.source()
  return (source === 'memory' || source === 'stored') && !isSameOrigin(before.profile.address, address)
}

/** Forgets the typed key of a profile, unless another profile takes its key from the same place. */
export async function dropKey({ profile, secret }: OpenProfile, profiles: Profiles): Promise<void> {
  if (!isShared(profile, profiles)) await secret.clear()
}

/**
 * Gives the typed key of a profile to the one that takes its place under another name. A key that is there already
 * stays. The built-in profile stays too, and so does its key.
 */
export async function carryKey(before: OpenProfile, after: OpenProfile, profiles: Profiles): Promise<void> {
  const [from, to] = [before.profile.secret, after.profile.secret]
  if (from.kind !== 'store' || from.name === null) return
  await after.secret.ready
  const taken = after.secret.source()
  if (to.kind === 'store' && taken !== 'stored' && taken !== 'memory') await before.secret.handOver(after.secret)
  const isMoved = to.kind !== 'store' || to.name !== from.name
  if (isMoved) await dropKey(before, profiles)
}

function isShared({ name, secret }: Profile, { byName }: Profiles): boolean {
  return [...byName.values()].some(
    (other) =>
      other.name !== name &&
      secret.kind === 'store' &&
      other.secret.kind === 'store' &&
      other.secret.name === secret.name,
  )
}

/** Names a profile anew wherever the file of settings names it or a model of it. */
export function renameReferences(settings: SettingsSource, from: string, to: string): void {
  const { default_provider: usual, fallback, ...own } = readSettings(settings.file).settings
  const renamed = (model: string) => (model.startsWith(`${from}/`) ? `${to}${model.slice(from.length)}` : model)
  if (usual === from) settings.put(['default_provider'], to)
  for (const key of ['model', 'subagent_model', 'summary_model'] as const) {
    const model = own[key]
    if (model && renamed(model) !== model) settings.put([key], renamed(model))
  }
  for (const [index, model] of (fallback ?? []).entries())
    if (renamed(model) !== model) settings.put(['fallback', index], renamed(model))
}
