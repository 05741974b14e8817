import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SandboxManager } from '@anthropic-ai/sandbox-runtime'
import type { CommandUser } from '../system/command-user.ts'
import { endChildren, endsWithApp } from '../system/ends-with-app.ts'
import { makeTemporary, removeMade } from '../system/made-folders.ts'
import { foreignUser } from '../system/namespaces.ts'
import { upstreamOfCommands } from '../system/outgoing/outgoing.ts'
import { ripgrepPath } from '../system/ripgrep-path.ts'
import { systemProgram } from '../system/system-programs.ts'
import { openProxyRelay } from './proxy-relay.ts'
import { proxyVariables } from './proxy-variables.ts'
import { hiddenAuthorities, joinCertificates } from './registries/certificates.ts'
import { certificatesName, type Registries, readRegistries } from './registries/read-registries.ts'
import type { RegistryToken } from './registries/registry-token.ts'
import { startTokenProxy, type TokenProxy } from './registries/token-proxy.ts'

/** Network access for one command. The proxy recognises the command by an id that nobody can guess. */
export interface ProxyPass extends Disposable {
  /** Path of a socket file outside the sandbox, for this command alone unless it shares a network. Null on systems where commands share the machine's loopback. */
  readonly socket: string | null
  /** The proxy's port on the loopback of a command that has one of its own, or shares the machine's. */
  readonly port: number
  /** For the port at which the command finds the proxy: in a network that others share, not that of `port`. */
  environment(port?: number): Readonly<Record<string, string>>
  /** Each `host:port` that the command asked for and did not get. */
  refused(): readonly string[]
}

/** The proxy's port in a network of a command's own. */
export const proxyPort = 3128

/** The person's logins, of which a command gets those for its hosts, and files with certificates of registries. */
export interface Logins {
  readonly tokens: readonly RegistryToken[]
  readonly certificates: readonly string[]
}

type Runtime = typeof SandboxManager
interface Started {
  readonly runtime: Runtime
  /** A folder of this process for the socket. */
  readonly folder: string
  readonly socket: string | null
  readonly port: number
  /** The logins of each pass that is open, by its id. */
  readonly open: Map<string, readonly RegistryToken[]>
  readonly socatPath: string
  /** The company's proxy behind that of commands. Null for none. */
  readonly upstream: Awaited<ReturnType<typeof upstreamOfCommands>>
  /** Adds them to requests. Started with the first pass that has one; null before. */
  tokenProxy: Promise<TokenProxy> | null
  hasEnded: boolean
}
let started: Promise<Started> | undefined
let users = 0

/** Keeps the proxies of the process alive. Disposing the last holder ends them. */
export function keepProxies(): AsyncDisposable {
  users += 1
  return {
    async [Symbol.asyncDispose]() {
      users -= 1
      if (users > 0 || !started) return
      const ending = await started.catch(() => undefined)
      started = undefined
      if (!ending) return
      ending.hasEnded = true
      await ending.runtime.reset()
      const proxy = await ending.tokenProxy?.catch(() => null)
      await proxy?.[Symbol.asyncDispose]()
      await leave(ending.folder)
    },
  }
}

/**
 * Starts the sandbox runtime's proxies, once per process. They refuse every host that a command's pass does not grant.
 * `user` is who connects. Where others reach the command's loopback as well, it `isShared`, and its clients need a login.
 */
export async function openProxyPass(
  hosts: readonly string[],
  user: CommandUser,
  {
    logins = { tokens: [], certificates: [] },
    isShared = false,
  }: { readonly logins?: Logins | undefined; readonly isShared?: boolean } = {},
): Promise<ProxyPass> {
  const running = await startOnce(user)
  const { runtime, port } = running
  const token = runtime.getProxyAuthToken()
  if (!token) throw new Error('The proxy of the sandbox did not start.')
  const id = randomBytes(24).toString('base64url')
  const { tokens, proxy } = await loginsFor(hosts, running, logins)
  runtime.registerCommandNetworkLists(id, { allowedDomains: [...hosts] })
  if (proxy) running.open.set(id, tokens)
  if (proxy) leadToLogins(running, proxy.socket)
  const login = { user: `srt.${Buffer.from(id).toString('base64')}`, password: token }
  const relay = running.socket === null || isShared || hosts.length === 0 ? null : await openRelay(running, login, user)
  return {
    ...{ socket: relay?.path ?? running.socket, port },
    environment: (own = port) => proxyVariables({ host: '127.0.0.1', port: own, login: relay ? null : login }),
    refused: () => refusedTo(runtime, id),
    [Symbol.dispose]() {
      void relay?.server[Symbol.asyncDispose]()
      runtime.unregisterCommandNetworkLists(id)
      running.open.delete(id)
      if (proxy) leadToLogins(running, proxy.socket)
    },
  }
}

/** The logins for servers that `hosts` grant. */
async function tokensOf(hosts: readonly string[], tokens: readonly RegistryToken[]): Promise<readonly RegistryToken[]> {
  if (hosts.length === 0 || tokens.length === 0) return []
  const { matchesDomainPatternWithPort } = await import('@anthropic-ai/sandbox-runtime/dist/sandbox/domain-pattern.js')
  return tokens.filter(({ host, port }) => hosts.some((granted) => matchesDomainPatternWithPort(host, port, granted)))
}

/** The person's registries for a command with these hosts, among its settings the certificates that it must trust. */
export async function trustedRegistries(
  hosts: readonly string[],
  user: CommandUser,
  places: Parameters<typeof readRegistries>[0],
): Promise<Registries> {
  const registries = readRegistries(places)
  if (hosts.length === 0) return registries
  const own = hiddenAuthorities(places.environment)
  const bundle = await trustFor(hosts, user, registries)
  const trust = bundle && own ? joinCertificates([bundle, own]) : (bundle ?? own)
  return { ...registries, settings: { ...registries.settings, ...(trust && { [certificatesName]: trust }) } }
}

/** Certificates in PEM that a command with these hosts must trust. Null when none of them has a login. */
async function trustFor(hosts: readonly string[], user: CommandUser, logins: Logins): Promise<string | null> {
  const { proxy } = await loginsFor(hosts, await startOnce(user), logins)
  return proxy?.trust ?? null
}

async function loginsFor(hosts: readonly string[], running: Started, { tokens: all, certificates }: Logins) {
  const tokens = await tokensOf(hosts, all)
  if (tokens.length === 0) return { tokens, proxy: null }
  const findTokens = () => [...running.open.values()].reverse().flat()
  running.tokenProxy ??= startTokenProxy({ folder: running.folder, findTokens, certificates })
  try {
    return { tokens, proxy: await running.tokenProxy }
  } catch (error) {
    running.tokenProxy = null
    throw error
  }
}

/** Leads requests for servers with a login through the proxy that adds it. Grants are checked before that. */
function leadToLogins(running: Started, socketPath: string): void {
  const { runtime, open, hasEnded } = running
  if (hasEnded) return
  const domains = [...new Set([...open.values()].flatMap((tokens) => tokens.map(({ host }) => host)))]
  const config = configWith(running)
  const mitmProxy = domains.length === 0 ? {} : { mitmProxy: { socketPath, domains } }
  runtime.updateConfig({ ...config, network: { ...config.network, ...mitmProxy } })
}

/** No host is granted to everybody. */
function configWith({ socatPath, upstream }: Pick<Started, 'socatPath' | 'upstream'>) {
  return {
    network: { allowedDomains: [], deniedDomains: [], ...(upstream && { parentProxy: upstream }) },
    filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
    ripgrep: { command: ripgrepPath() ?? 'rg' },
    socatPath,
  }
}

/** A start that failed, as on a machine too busy for it, is tried again by the next command. */
async function startOnce(user: CommandUser): Promise<Started> {
  if (users === 0) throw new Error('The app is closing, so no command starts.')
  if (started) return started
  const starting = start(user)
  starting.catch(() => {
    if (started === starting) started = undefined
  })
  started = starting
  return starting
}

/** Loads the runtime when the first command needs it, because it is large. */
async function start(user: CommandUser): Promise<Started> {
  const { SandboxManager: runtime } = await import('@anthropic-ai/sandbox-runtime')
  const folder = makeTemporary('proxy')
  try {
    const socatPath = await writeRelay(folder)
    const upstream = await upstreamOfCommands()
    await withTemporaryFolder(folder, () => runtime.initialize(configWith({ socatPath, upstream })))
    const { socket, port } = findProxy(runtime)
    if (user.kind === 'other' && socket !== null) await chown(socket, foreignUser, foreignUser)
    return { runtime, folder, socket, port, socatPath, upstream, open: new Map(), tokenProxy: null, hasEnded: false }
  } catch (error) {
    await leave(folder)
    throw error
  }
}

/** Linux passes on a socket. Elsewhere the loopback is shared, so commands reach the proxy's own port. */
function findProxy(runtime: Runtime): { readonly socket: string | null; readonly port: number } {
  const isLinux = process.platform === 'linux'
  const socket = isLinux ? runtime.getLinuxHttpSocketPath() : null
  const port = isLinux ? proxyPort : runtime.getProxyPort()
  if (socket === undefined || port === undefined) throw new Error('The proxy of the sandbox did not start.')
  return { socket, port }
}

/**
 * The runtime has a signal handler of its own that cancels a start. Such a start forgets its relay, and a child that
 * runs would keep the app from ending.
 */
async function leave(folder: string): Promise<void> {
  endChildren(relayVariable, folder)
  await removeMade(folder)
}

/** Says in a relay's environment which folder it belongs to. */
const relayVariable = 'COPPICE_RELAY'

/** In characters. The name of a socket, with its folder, has at most 107. */
const longestFolder = 70

/**
 * The runtime puts its sockets straight into the temporary folder, where they would stay after a kill and where others
 * could guess the name of one. It reads the variable only while it starts.
 */
async function withTemporaryFolder(folder: string, act: () => Promise<void>): Promise<void> {
  if (folder.length > longestFolder) return act()
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  try {
    await act()
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}

/** The relay is a process of its own, which outlives an app that is killed unless something ends it. */
async function writeRelay(folder: string): Promise<string> {
  const relay = join(folder, 'relay')
  const words = endsWithApp([systemProgram('socat')]).map((word) => `'${word}'`)
  const marked = `${relayVariable}='${folder}' exec ${words.join(' ')} "$@"`
  await writeFile(relay, `#!/bin/sh\n${marked}\n`, { mode: 0o700 })
  // A temporary folder may forbid programs.
  return access(relay, constants.X_OK).then(
    () => relay,
    () => systemProgram('socat'),
  )
}

let relays = 0

/** Undone with the pass. */
async function openRelay(
  { folder, socket }: Started,
  { user, password }: { readonly user: string; readonly password: string },
  commandUser: CommandUser,
) {
  relays += 1
  const path = join(folder, `pass-${relays}`)
  const owner = commandUser.kind === 'other' ? foreignUser : null
  const server = await openProxyRelay({ path, proxy: socket ?? '', login: `${user}:${password}`, owner })
  return { path, server }
}

function refusedTo(runtime: Runtime, id: string): readonly string[] {
  const lines = runtime
    .getSandboxViolationStore()
    .getViolationsForCommand(id)
    .map(({ line }) => /network-outbound (\S+)/.exec(line)?.[1])
  return [...new Set(lines.filter((host) => host !== undefined))]
}
