import { X509Certificate } from 'node:crypto'
import { delimiter, isAbsolute, join } from 'node:path'
import tls from 'node:tls'
import { namesIn } from '../look-at.ts'
import { textIfReadable } from '../read-bounded.ts'
import type { Environment } from './read-outgoing.ts'

/** The variables that name certificates of authorities for everything that goes out: two files, and folders of such files. */
const files = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'] as const
const folders = 'SSL_CERT_DIR'

/** Bytes of one file. A system's own bundle has a quarter of a million. */
const longestFile = 4 * 1024 * 1024
const mostInFolder = 2_000

/** Authorities that a person trusts beside those of the system. */
export interface Authorities {
  /** What names them: a variable with its path. */
  readonly named: readonly string[]
  /** In PEM, each once. */
  readonly certificates: readonly string[]
  /** What is named and cannot be used. */
  readonly problems: readonly string[]
}

/**
 * Reads the certificates that an environment names. Node itself reads one of the variables, and not in the packaged app; the
 * other two count for OpenSSL alone.
 */
export function readAuthorities(environment: Environment): Authorities {
  const named: string[] = []
  const problems: string[] = []
  const found = new Set<string>()
  const take = (variable: string, place: string, texts: readonly string[]): void => {
    const certificates = texts.flatMap(certificatesIn)
    for (const one of certificates) found.add(one)
    if (certificates.length > 0) named.push(`${variable} (${place})`)
    else problems.push(`${variable} names ${place}, which holds no certificate that can be read.`)
  }
  for (const variable of files) {
    const place = environment[variable]
    if (place) take(variable, place, [isAbsolute(place) ? textOf(place) : ''])
  }
  for (const place of (environment[folders] ?? '').split(delimiter).filter(isAbsolute)) {
    const names = namesIn(place).slice(0, mostInFolder)
    take(
      folders,
      place,
      names.map((name) => textOf(join(place, name))),
    )
  }
  return { named, certificates: [...found], problems }
}

function textOf(file: string): string {
  return textIfReadable(file, { most: longestFile }) ?? ''
}

/** The certificates of a text in PEM. Keys and words beside them are left out, and so is what is no certificate. */
function certificatesIn(text: string): readonly string[] {
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return found.map((one) => one.replaceAll('\r', '')).filter(isCertificate)
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

/** Adds the system's authorities and these to those that this process trusts. */
export function trust(certificates: readonly string[]): void {
  tls.setDefaultCACertificates([...new Set([...tls.getCACertificates('default'), ...ofSystem(), ...certificates])])
}

/** A store that cannot be read trusts nobody. */
function ofSystem(): readonly string[] {
  try {
    return tls.getCACertificates('system')
  } catch {
    return []
  }
}
