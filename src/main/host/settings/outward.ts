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

/** Where spans of what agents do are sent. No project has a say in it. */
export interface SpanTarget {
  /** The address for traces of a collector, with its path. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** True to send the texts of messages and calls as well. */
  readonly content: boolean
}

/** Null for nobody. The standard variable names a collector only where the settings say that it may. */
export function spanTargetIn(
  { telemetry = null }: Settings,
  environment: Readonly<Record<string, string | undefined>>,
): SpanTarget | null {
  if (telemetry === null) return null
  const { endpoint, from_environment: isFromEnvironment = false, headers = {}, content = false } = telemetry
  const named = endpoint ?? (isFromEnvironment ? environment.OTEL_EXPORTER_OTLP_ENDPOINT : undefined)
  if (named === undefined || !/^https?:\/\//.test(named) || !URL.canParse(named)) return null
  const base = named.replace(/\/+$/, '')
  return { url: base.endsWith('/v1/traces') ? base : `${base}/v1/traces`, headers, content }
}
