import type { Settings } from '#adapters/settings/settings-schema.ts'
import type { NotifyTarget, Outward } from '#shared/contract/views/settings.ts'

export function outwardIn({ web, keep_awake, notify }: Settings): Outward {
  return {
    fetchesPages: web?.fetch ?? false,
    privateHosts: web?.private_hosts ?? [],
    keepAwake: keep_awake ?? false,
    notify: targetOf(notify ?? null),
  }
}

function targetOf(notify: NonNullable<Settings['notify']> | null): NotifyTarget | null {
  if (notify?.command) return { kind: 'command', command: notify.command }
  return notify?.url === undefined ? null : { kind: 'url', url: notify.url }
}
