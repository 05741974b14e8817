import type { JsonObject } from '#shared/base/json.ts'
import { nameOf, type VirtualPath } from '#shared/model/virtual-path.ts'

const secretNames = [
  /^\.env(\..*)?$/i,
  /\.(pem|key|p12|pfx|jks|keystore)$/i,
  /^id_(rsa|dsa|ecdsa|ed25519)$/i,
  /^\.?(npmrc|netrc|pgpass|htpasswd)$/i,
  /^credentials(\.json)?$/i,
]
/** Templates carry names of secrets, not secrets. */
const templates = /^\.env\.(example|sample|template|dist)$/i

const pathArguments = ['file_path', 'path', 'from', 'to']

/** The first argument of a call that names a file which usually holds secrets. */
export function secretPathIn(args: JsonObject): string | undefined {
  return pathArguments
    .map((name) => args[name])
    .find((value): value is string => typeof value === 'string' && isSecretFile(value as VirtualPath))
}

function isSecretFile(path: VirtualPath): boolean {
  const name = nameOf(path)
  return !templates.test(name) && secretNames.some((pattern) => pattern.test(name))
}
