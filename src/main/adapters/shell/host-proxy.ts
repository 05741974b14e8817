import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SandboxManager } from '@anthropic-ai/sandbox-runtime'
import { rgPath } from '@vscode/ripgrep'
import type { CommandUser } from '../system/command-user.ts'
import { endChildren, endsWithApp } from '../system/ends-with-app.ts'
import { makeTemporary, removeMade } from '../system/made-folders.ts'
import { foreignUser } from '../system/namespaces.ts'
import { systemProgram } from '../system/system-programs.ts'

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
interface Started {
  readonly runtime: Runtime
  /** A folder of this process for the socket. */
  readonly folder: string
  readonly socket: string
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
      await ending?.runtime.reset()
      if (ending) await leave(ending.folder)
    },
  }
}

/**
 * Starts the sandbox runtime's proxies, once per process. They refuse every host that a command's pass does not grant.
 * `user` is who connects.
 */
export async function openProxyPass(hosts: readonly string[], user: CommandUser): Promise<ProxyPass> {
  const { runtime, socket } = await startOnce(user)
  const token = runtime.getProxyAuthToken()
  if (!token) throw new Error('The proxy of the sandbox did not start.')
  const id = randomBytes(24).toString('base64url')
  runtime.registerCommandNetworkLists(id, { allowedDomains: [...hosts] })
  return {
    socket,
    environment: environmentFor(id, token),
    refused: () => refusedTo(runtime, id),
    [Symbol.dispose]: () => runtime.unregisterCommandNetworkLists(id),
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
    await withTemporaryFolder(folder, () =>
      runtime.initialize({
        network: { allowedDomains: [], deniedDomains: [] },
        filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
        ripgrep: { command: rgPath },
        socatPath,
      }),
    )
    const socket = runtime.getLinuxHttpSocketPath()
    if (!socket) throw new Error('The proxy of the sandbox did not start.')
    if (user.kind === 'other') await chown(socket, foreignUser, foreignUser)
    return { runtime, folder, socket }
  } catch (error) {
    await leave(folder)
    throw error
  }
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
