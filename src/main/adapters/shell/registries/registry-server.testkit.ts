import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { generateCa } from '@anthropic-ai/sandbox-runtime'
import { createMitmCA, disposeMitmCA } from '@anthropic-ai/sandbox-runtime/dist/sandbox/mitm-ca.js'
import { mintLeafCert } from '@anthropic-ai/sandbox-runtime/dist/sandbox/mitm-leaf.js'

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string | null
}

/** A server on the loopback that remembers each request. */
export interface RegistryServer extends AsyncDisposable {
  readonly port: number
  readonly seen: readonly SeenRequest[]
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** `certificate` makes it a server for https. */
export async function serveRegistry(
  answer: Answer,
  certificate?: { cert: string; key: string },
): Promise<RegistryServer> {
  const seen: SeenRequest[] = []
  const take: Answer = (request, response) => {
    const { method = '', url = '', headers } = request
    seen.push({ method, path: url, authorization: headers.authorization ?? null })
    answer(request, response)
  }
  const server = certificate ? createSecureServer(certificate, take) : createServer(take)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Gives what it has to those who show the login, and nothing to others. */
export function onlyFor(authorization: string, text: string): Answer {
  return (request, response) => {
    const isKnown = request.headers.authorization === authorization
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' }).end(isKnown ? text : '{}')
  }
}

/** A certificate for a name, and the authority that signed it, which nobody trusts by itself. */
export async function certificateFor(name: string) {
  const { certPem, keyPem } = generateCa({ cn: 'Authority of a test' })
  const authority = createMitmCA({ caCertPem: certPem, caKeyPem: keyPem })
  await disposeMitmCA(authority)
  const leaf = mintLeafCert(authority, name)
  return { authority: certPem, cert: leaf.certPem, key: leaf.keyPem }
}
