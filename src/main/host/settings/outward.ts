import type { Settings } from '#adapters/settings/settings-schema.ts'

/** Who is told that an agent needs the person, or that a thread has ended: a program of theirs or an address. */
export type NotifyTarget =
  | { readonly kind: 'command'; readonly command: readonly string[] }
  | { readonly kind: 'url'; readonly url: string }

/** What the person lets Coppice do outside of projects and models. No project has a say in it. */
export interface Outward {
  /** Hosts of private networks that agents may read pages of. */
  readonly privateHosts: readonly string[]
  /** Whether the computer stays awake while agents work. */
  readonly keepAwake: boolean
  /** Null for nobody. */
  readonly notify: NotifyTarget | null
}

export function outwardIn({ web, keep_awake, notify }: Settings): Outward {
  return { privateHosts: web?.private_hosts ?? [], keepAwake: keep_awake ?? false, notify: targetOf(notify ?? null) }
}

function targetOf(notify: NonNullable<Settings['notify']> | null): NotifyTarget | null {
  if (notify?.command) return { kind: 'command', command: notify.command }
  return notify?.url === undefined ? null : { kind: 'url', url: notify.url }
}
