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

export function isSecretFile(path: VirtualPath): boolean {
  const name = nameOf(path)
  return !templates.test(name) && secretNames.some((pattern) => pattern.test(name))
}
