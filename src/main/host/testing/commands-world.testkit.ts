import { createHash } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BranchMountsOptions, createBranchMounts } from '#adapters/mounts/branch-mounts.ts'
import { findHomeCaches } from '#adapters/shell/home-caches.ts'
import { type CommandLimits, defaultLimits } from '#adapters/shell/limits/command-limits.ts'
import { openSandbox } from '#adapters/shell/open-sandbox.ts'
import { noSandbox, type Sandbox } from '#adapters/shell/sandbox.ts'
import { createShell, type ShellOptions } from '#adapters/shell/shell.ts'
import type { MountEntry } from '#core/ports/branch-mounts.ts'
import type { Talk } from '#core/ports/shell.ts'
import type { LayerId } from '#shared/model/ids.ts'

export interface CommandOptions {
  readonly overlay?: readonly MountEntry[]
  readonly timeoutMs?: number
  readonly hosts?: readonly string[]
  readonly input?: string
  readonly signal?: AbortSignal
  readonly owner?: string
  readonly temporaryOf?: string
  readonly declares?: boolean
  readonly network?: string
  readonly onTalk?: (talk: Talk) => void
}

export type CommandsWorld = Awaited<ReturnType<typeof openCommandsWorld>>

export interface WorldOptions {
  readonly mounts?: Partial<BranchMountsOptions>
  readonly sandbox?: Sandbox
  /** True for a world without a sandbox. */
  readonly isUnconfined?: boolean
  /** What a command may take instead of the usual. */
  readonly findLimits?: () => Partial<CommandLimits>
  /** The person's variables. Those of the tests when absent. */
  readonly environment?: NodeJS.ProcessEnv
  /** Files of the home, by their paths in it. */
  readonly home?: Readonly<Record<string, string>>
  readonly findGitSettings?: ShellOptions['findGitSettings']
  readonly findHosts?: ShellOptions['findHosts']
  readonly findReach?: ShellOptions['findReach']
}

/**
 * A machine to attack: a project, a home and an app data folder with canaries, servers that count requests, and a
 * process to kill.
 */
export async function openCommandsWorld(options: WorldOptions = {}) {
  const above = mkdtempSync(join(tmpdir(), 'coppice-commands-'))
  const place = (path: string) => join(above, path)
  const put = (path: string, text: string) => {
    mkdirSync(join(place(path), '..'), { recursive: true })
    writeFileSync(place(path), text)
  }
  put('root/src/a.txt', 'one\n')
  put('root/run.sh', '#!/bin/sh\n')
  put('root/.gitignore', 'node_modules/\n')
  symlinkSync(place('root/src'), place('root/absolute'))
  symlinkSync('../home', place('root/outside'))
  for (const secret of ['.ssh/id_rsa', '.aws/credentials', '.npmrc', '.cargo/credentials.toml', '.bash_history'])
    put(`home/${secret}`, 'canary-of-home')
  put('home/.cargo/bin/tool', 'a tool\n')
  for (const [path, text] of Object.entries(options.home ?? {})) put(`home/${path}`, text)
  put('data/projects/x/project.db', 'canary-of-data')
  put('data/key', 'canary-of-data')
  process.env.COPPICE_CANARY = 'canary-of-environment'
  const outside = { home: place('home'), environment: options.environment ?? process.env }
  const open = options.isUnconfined
    ? async () => noSandbox('forced', outside)
    : () => openSandbox([place('data')], outside)
  const sandbox = options.sandbox ?? (await open())
  const root = place('root')
  const mounts = createBranchMounts({
    rootFolder: root,
    mountsFolder: place('data/projects/x/views'),
    findCaches: () => findHomeCaches({ hidden: [place('data')], ...outside, rootFolder: root }),
    ...options.mounts,
  })
  const { findLimits, findGitSettings, findHosts, findReach } = options
  const shell = createShell({
    sandbox,
    rootFolder: root,
    ...(findLimits && { findLimits: () => ({ ...defaultLimits, ...findLimits() }) }),
    ...(findGitSettings && { findGitSettings }),
    ...(findHosts && { findHosts }),
    ...(findReach && { findReach }),
  })
  const servers = await Promise.all([0, place('server.sock'), `\0coppice${above}`].map(serve))

  /** What the commands of each owner left. */
  const environments = new Map<string, readonly LayerId[]>()
  async function run(
    command: string,
    { overlay = [], owner = 'branch', temporaryOf = owner, signal, ...request }: CommandOptions = {},
  ) {
    const until = signal ?? new AbortController().signal
    const environment = environments.get(owner) ?? []
    await using mount = await mounts.open({ owner, overlay, environment, temporaryOf }, until)
    const wanted = { timeoutMs: 20_000, mount, onOutput: () => undefined, ...request }
    const outcome = await shell.execute({ command, ...wanted }, until)
    const captured = await mount.capture()
    environments.set(owner, captured.environment)
    return { ...outcome, ...captured }
  }
  return {
    ...{ above, root, sandbox, mounts, shell, run, place },
    /** Gives a new owner what the commands of another one left, as a fork does. */
    fork: (from: string, to: string) => void environments.set(to, environments.get(from) ?? []),
    port: portOf(servers[0]),
    hits: () => servers.reduce((sum, server) => sum + (server.hits ?? 0), 0),
    fingerprint: (folder = root) => fingerprintOf(folder),
    survivors: () => processesThatSee(above),
    async [Symbol.asyncDispose]() {
      delete process.env.COPPICE_CANARY
      for (const server of servers) server.close()
      await mounts[Symbol.asyncDispose]()
      await sandbox[Symbol.asyncDispose]()
      rmSync(above, { recursive: true, force: true })
    },
  }
}

/** Bytes, modes, links and times of everything in a folder. */
function fingerprintOf(folder: string): string {
  const lines = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const place = join(folder, name)
      const stats = lstatSync(place)
      const content = stats.isSymbolicLink() ? readlinkSync(place) : stats.isFile() ? hashOf(readFileSync(place)) : ''
      return `${name} ${stats.mode} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.nlink} ${content}`
    })
  return lines.join('\n')
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function portOf(server: Server | undefined): number {
  const address = server?.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function serve(address: number | string): Promise<Server & { hits?: number }> {
  const server: Server & { hits?: number } = createServer((socket) => {
    socket.on('error', () => undefined)
    server.hits = (server.hits ?? 0) + 1
    socket.end('HTTP/1.0 200 OK\r\n\r\ncanary-of-server')
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    if (typeof address === 'number') server.listen(address, '127.0.0.1', resolve)
    else server.listen(address, resolve)
  })
  return server
}

/** Processes that see a mount below `folder`. Every process that a command starts does, whatever it tries. */
function processesThatSee(folder: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => textOf(`/proc/${pid}/mountinfo`).includes(folder))
    .map((pid) => `${pid} ${textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`)
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
