/** Reasons of a connection that is refused because nobody here knows who signed the server's certificate. */
const unknownSigner: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

const howToTrust =
  'If your company or your own server signs for itself, add that certificate to the store of the system, or name its file in NODE_EXTRA_CA_CERTS, and start Coppice again'

const others: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired. Whoever runs it must renew it; see also that the clock here is right',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet. See that the clock of this machine is right',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another host. Check the address, and whether a proxy or a login page answers in its place',
  CERT_REVOKED: 'its certificate was revoked',
  CERT_UNTRUSTED: `its certificate is not trusted for this. ${howToTrust}`,
  CERT_SIGNATURE_FAILURE: 'its certificate is damaged or forged',
  INVALID_CA: 'its certificate was signed by one that may not sign others',
  INVALID_PURPOSE: 'its certificate is not made for servers',
  PATH_LENGTH_EXCEEDED: 'its certificate was signed by one that may not sign others',
  HOSTNAME_MISMATCH: 'its certificate is for another host. Check the address',
}

/** True when a server would be trusted if this machine knew who signed for it. */
export function isUnknownSigner(code: string | undefined): boolean {
  return unknownSigner.has(code ?? '')
}

/** What is wrong with the certificate of a server and what a person can do, by the code of the error. Null for another error. */
export function certificateProblem({ code = '', message }: NodeJS.ErrnoException): string | null {
  if (Object.hasOwn(others, code)) return `${others[code]} (${message})`
  if (!isUnknownSigner(code)) return null
  const who =
    code === 'DEPTH_ZERO_SELF_SIGNED_CERT' ? 'by nobody but itself' : 'by somebody whom this machine does not know'
  return `its certificate is signed ${who} (${message}). ${howToTrust}`
}
