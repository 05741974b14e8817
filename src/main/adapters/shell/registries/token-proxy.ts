import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { upstreamOfCommands } from '../../system/outgoing/outgoing.ts'
import { joinCertificates, systemCertificates } from './certificates.ts'
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
  const trusted = [...systemCertificates(), ...certificates]
  const ca = createMitmCA({ caCertPem: certPem, caKeyPem: keyPem, extraCaCertPaths: trusted })
  const trust = joinCertificates([readFileSync(ca.trustBundlePath, 'utf8')])
  await disposeMitmCA(ca)
  const guard = guards.createResolvedAddressGuard({})
  const parentProxy = parents.resolveParentProxy((await upstreamOfCommands()) ?? undefined)
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
