import { readOutgoing } from '#adapters/system/outgoing/read-outgoing.ts'

/** The way to the server of updates, in the words of Chromium, which brings them. */
export interface UpdateProxy {
  readonly rules: string
  readonly direct: string
  /** Null for a proxy that asks for none. */
  readonly login: { readonly name: string; readonly password: string } | null
}

/** What the environment says. Null where it names no proxy: then the settings of the system hold, as in a browser. */
export function updateProxy(environment: Readonly<Record<string, string | undefined>>): UpdateProxy | null {
  const { https, http, direct, variables } = readOutgoing(environment)
  if (https === null && http === null) return null
  const rules = [https && `https=${https}`, http && `http=${http}`].filter(Boolean).join(';')
  const { username, password } = new URL(variables.https_proxy ?? variables.http_proxy ?? '')
  const login = username === '' ? null : { name: decodeURIComponent(username), password: decodeURIComponent(password) }
  // Chromium takes a name for that host alone.
  const bypass = direct.split(',').flatMap((one) => (/^[a-z][\w-]*(\.[\w-]+)*$/i.test(one) ? [one, `*.${one}`] : [one]))
  return { rules, direct: bypass.join(','), login }
}
