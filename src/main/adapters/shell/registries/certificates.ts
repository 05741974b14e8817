import { existsSync, realpathSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { readAuthorities } from '../../system/outgoing/authorities.ts'
import { textIfReadable } from '../../system/read-bounded.ts'

/** Where systems keep the certificates that they trust. */
const bundles = [
  ...['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/ca-bundle.pem'],
  ...['/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem', '/etc/ssl/cert.pem'],
]

/** The file with the certificates that the system trusts; none where it keeps them otherwise. */
export function systemCertificates(): readonly string[] {
  return bundles.filter((file) => existsSync(file)).slice(0, 1)
}

/** Each certificate once, in PEM. A file of the person may hold a key as well, which is left out. */
export function joinCertificates(texts: readonly string[]): string {
  const found = texts.flatMap((text) =>
    Array.from(text.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g)),
  )
  const each = new Map(found.map(([whole, body = '']) => [body.replace(/\s/g, ''), whole]))
  return [...each.values(), ''].join('\n')
}

/** Other variables by which programs are told whom to trust. */
const ofPrograms = ['CURL_CA_BUNDLE', 'REQUESTS_CA_BUNDLE', 'PIP_CERT', 'GIT_SSL_CAINFO', 'CARGO_HTTP_CAINFO']

/**
 * The authorities of a person that commands would not find, because the files are in folders that commands do not see: in
 * PEM, with those of the system, which such a file takes the place of. Null when there are none.
 */
export function hiddenAuthorities(environment: NodeJS.ProcessEnv): string | null {
  const named = ofPrograms.map((name) => environment[name] ?? '').filter(isAbsolute)
  const places = [...named, ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'].map((name) => environment[name] ?? '')]
  const folders = (environment.SSL_CERT_DIR ?? '').split(':')
  if (![...places, ...folders].some((place) => isAbsolute(place) && !isOfSystem(place))) return null
  const own = [...readAuthorities(environment).certificates, ...named.map(textOf)]
  if (joinCertificates(own).trim() === '') return null
  return joinCertificates([...systemCertificates().map(textOf), ...own])
}

/** A command sees these, unless a link leads elsewhere. */
export function isOfSystem(place: string): boolean {
  const isInside = (one: string) => /^\/(etc|usr)\//.test(one)
  try {
    return isInside(place) && isInside(realpathSync.native(place))
  } catch {
    return isInside(place)
  }
}

function textOf(file: string): string {
  return textIfReadable(file) ?? ''
}
