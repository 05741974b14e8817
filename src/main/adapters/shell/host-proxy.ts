import { randomBytes } from 'node:crypto'
import { chown } from 'node:fs/promises'
import type { SandboxManager } from '@anthropic-ai/sandbox-runtime'
import { rgPath } from '@vscode/ripgrep'
import type { CommandUser } from '../system/command-user.ts'
import { foreignUser } from '../system/namespaces.ts'

/** Network access for one command. The proxy recognises the command by an id that nobody can guess. */
export interface ProxyPass extends Disposable {
  /** Path of a socket file outside the sandbox. */
  readonly socket: string
  readonly environment: Readonly<Record<string, string>>
  /** Each `host:port` that the command asked for and did not get. */
  refused(): readonly string[]
}

/** The proxy's port inside the sandbox. */
export const proxyPort = 3128

type Runtime = typeof SandboxManager
let started: Promise<Runtime> | undefined
let users = 0

/** Keeps the proxies of the process alive. Disposing the last holder ends them. */
export function keepProxies(): AsyncDisposable {
  users += 1
  return {
    async [Symbol.asyncDispose]() {
      users -= 1
      if (users > 0 || !started) return
      const runtime = await started.catch(() => undefined)
      started = undefined
      await runtime?.reset()
    },
  }
}

/**
 * Starts the sandbox runtime's proxies, once per process. They refuse every host that a command's pass does not grant.
 */
export async function openProxyPass(hosts: readonly string[], user: CommandUser): Promise<ProxyPass> {
  started ??= start()
  const runtime = await started
  const socket = runtime.getLinuxHttpSocketPath()
  const token = runtime.getProxyAuthToken()
  if (!socket || !token) throw new Error('The proxy of the sandbox did not start.')
  if (user.kind === 'other') await chown(socket, foreignUser, foreignUser)
  const id = randomBytes(24).toString('base64url')
  runtime.registerCommandNetworkLists(id, { allowedDomains: [...hosts] })
  return {
    socket,
    environment: environmentFor(id, token),
    refused: () => refusedTo(runtime, id),
    [Symbol.dispose]: () => runtime.unregisterCommandNetworkLists(id),
  }
}

/** Loads the runtime when the first command needs it, because it is large. */
async function start(): Promise<Runtime> {
  const { SandboxManager: runtime } = await import('@anthropic-ai/sandbox-runtime')
  await runtime.initialize({
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
    ripgrep: { command: rgPath },
  })
  return runtime
}

function environmentFor(id: string, token: string): Readonly<Record<string, string>> {
  const user = encodeURIComponent(`srt.${Buffer.from(id).toString('base64')}`)
  const url = `http://${user}:${token}@127.0.0.1:${proxyPort}`
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
  const local = 'localhost,127.0.0.1,::1'
  return { ...Object.fromEntries(names.map((name) => [name, url])), NO_PROXY: local, no_proxy: local }
}

function refusedTo(runtime: Runtime, id: string): readonly string[] {
  const lines = runtime
    .getSandboxViolationStore()
    .getViolationsForCommand(id)
    .map(({ line }) => /network-outbound (\S+)/.exec(line)?.[1])
  return [...new Set(lines.filter((host) => host !== undefined))]
}
