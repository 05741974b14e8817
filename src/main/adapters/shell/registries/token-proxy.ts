import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RegistryToken, tokenFor } from './registry-token.ts'

/** Stands between the proxy of commands and the servers that the person has logins for. */
export interface TokenProxy extends AsyncDisposable {
  /** Path of a socket file that no command sees. */
  readonly socket: string
  /** The certificates of the system and the one of this proxy, in PEM. */
  readonly trust: string
}

export interface TokenProxyOptions {
  /** A folder of this process for the socket. */
  readonly folder: string
  /** The logins that count now. */
  readonly findTokens: () => readonly RegistryToken[]
  /** Files with certificates beside those of the system. */
  readonly certificates: readonly string[]
}

/** Where systems keep the certificates that they trust. */
const systemCertificates = [
  ...['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/ca-bundle.pem'],
  ...['/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem', '/etc/ssl/cert.pem'],
]

/**
 * Adds logins to requests. It opens encrypted connections only to servers with a login, and closes them when the server
 * cannot prove who it is; everything else it passes on unseen. Whether a command may reach a server was decided before.
 * The key of its certificate stays in memory.
 */
export async function startTokenProxy({ folder, findTokens, certificates }: TokenProxyOptions): Promise<TokenProxy> {
  const [{ createHttpProxyServer }, { createMitmCA, disposeMitmCA, generateCa }, guards, parents] = await Promise.all([
    import('@anthropic-ai/sandbox-runtime/dist/sandbox/http-proxy.js'),
    import('@anthropic-ai/sandbox-runtime/dist/sandbox/mitm-ca.js'),
    import('@anthropic-ai/sandbox-runtime/dist/sandbox/resolved-address-guard.js'),
    import('@anthropic-ai/sandbox-runtime/dist/sandbox/parent-proxy.js'),
  ])
  const { certPem, keyPem } = generateCa({ cn: 'Coppice registries' })
  const trusted = [...systemCertificates.filter((file) => existsSync(file)).slice(0, 1), ...certificates]
  const ca = createMitmCA({ caCertPem: certPem, caKeyPem: keyPem, extraCaCertPaths: trusted })
  const trust = onlyCertificates(readFileSync(ca.trustBundlePath, 'utf8'))
  await disposeMitmCA(ca)
  const guard = guards.createResolvedAddressGuard({})
  const parentProxy = parents.resolveParentProxy()
  const server = createHttpProxyServer({
    filter: () => true,
    mitmCA: ca,
    shouldTerminateTLS: (host, port) =>
      findTokens().some((token) => token.protocol === 'https:' && token.host === host && token.port === port),
    filterRequest: async ({ method, url, headers }, info) => {
      const { target, scheme } = info ?? {}
      const protocol = scheme === 'https' ? 'https:' : 'http:'
      const request = { method, protocol, path: new URL(url).pathname, headerNames: [...headers.keys()] } as const
      const token = target && tokenFor(findTokens(), { ...target, ...request })
      return { action: 'allow', setHeaders: token ? [['authorization', token.authorization]] : [] }
    },
    plaintextHeaderSet: true,
    requireHostMatch: true,
    tlsTerminateUpstreamCA: trust.replace(certPem.trim(), ''),
    lookupFor: (port) => guard.lookupFor(port),
    ...(parentProxy && { parentProxy }),
  })
  const socket = join(folder, 'registries.sock')
  server.listen(socket)
  await once(server, 'listening')
  return {
    ...{ socket, trust },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Each certificate once. A file of the person may hold a key as well. */
function onlyCertificates(text: string): string {
  const found = text.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g)
  const each = new Map(Array.from(found, ([whole, body = '']) => [body.replace(/\s/g, ''), whole]))
  return [...each.values(), ''].join('\n')
}
