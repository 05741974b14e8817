import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import type { MountView } from '#core/ports/branch-mounts.ts'
import type { CommandShell, LocalReach } from '#core/ports/shell.ts'
import { readReach } from '#shared/base/reach/local-reach.ts'
import { beginningOf, tailOf } from '#shared/text/whole-characters.ts'
import { appMark } from '../system/ends-with-app.ts'
import { systemPath, systemProgram } from '../system/system-programs.ts'
import { createBoundedOutput } from './bounded-output.ts'
import { createDeclarations } from './declarations.ts'
import { type GitSettings, gitSettingsName, gitTexts, gitVariables } from './git-settings.ts'
import { type FilesToGive, giveFiles, programsFolder } from './given-files.ts'
import { missedReach } from './grants/missed-reach.ts'
import { type CommandLimits, defaultLimits, limitText, openFilesText, withinLimits } from './limits/command-limits.ts'
import { missedHost } from './missed-hosts.ts'
import { createNetworks } from './processes/networks.ts'
import { holdOf, stayProgram } from './processes/stay-program.ts'
import { isOfSystem } from './registries/certificates.ts'
import { type Registries, registryVariables } from './registries/read-registries.ts'
import { type CommandRun, runCommand } from './run-command.ts'
import type { Confined, Sandbox } from './sandbox.ts'
import { spawnName, spawnProgram } from './spawn-program.ts'

export interface ShellOptions {
  readonly sandbox: Sandbox
  /** The project's real folder. Commands find their mount at its path. */
  readonly rootFolder: string | null
  /** What a command may take. Asked for each command. Absent for the usual limits. */
  readonly findLimits?: () => CommandLimits
  /** What git of commands has of the person's settings. Asked for each command. Absent for nothing. */
  readonly findGitSettings?: () => Promise<GitSettings>
  /** Hosts that every command may reach. Absent for none. */
  readonly findHosts?: () => readonly string[]
  /** What of this machine every command reaches. Asked for each command. Absent for nothing. */
  readonly findReach?: () => LocalReach
  /** Variables that a person gives to every command of the project. Asked for each command. Absent for none. */
  readonly findVariables?: () => Readonly<Record<string, string>>
  /** A folder for programs of the app, used where the temporary folder forbids programs. */
  readonly otherFolder?: string
}

const outputLimit = 1024 * 1024
const passedOn = ['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'SystemRoot']
/** Name the certificates of authorities that the machine trusts besides the usual ones. */
const certificates = [
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'CURL_CA_BUNDLE', 'REQUESTS_CA_BUNDLE'],
  ...['PIP_CERT', 'GIT_SSL_CAINFO'],
]

export function createShell(options: ShellOptions): CommandShell {
  const {
    sandbox,
    rootFolder,
    findLimits = () => defaultLimits,
    otherFolder = null,
    findGitSettings = nothing,
    findHosts = () => [],
    findReach = () => ({ localPorts: [], sockets: [] }),
    findVariables = () => ({}),
  } = options
  const networks = createNetworks(sandbox)
  const said = new Set<string>()
  /** True once for each. */
  const says = (what: 'unsigned' | 'withheld') => {
    const isFirst = !said.has(what)
    said.add(what)
    return isFirst
  }
  return {
    async execute(
      {
        command,
        input,
        timeoutMs,
        mount,
        hosts = [],
        grants,
        declares,
        onOutput,
        onBytes,
        onTalk,
        network: name,
        onStart,
      },
      signal,
    ) {
      const started = performance.now()
      const output = createBoundedOutput(outputLimit, onOutput, onStart !== undefined)
      const denials = createDenials()
      const nonce = randomUUID()
      const declarations = createDeclarations(nonce)
      const onChunk = (stream: 'stdout' | 'stderr', chunk: Buffer) => {
        if (stream === 'stderr') denials.read(chunk)
        else onBytes?.(chunk)
        output.accept(stream, declarations.take(stream, chunk))
      }
      const line = withVariables(command, findVariables())
      const limits = onStart ? limitsOfStaying(findLimits()) : findLimits()
      const bash = onStart
        ? stayProgram(line)
        : [process.platform === 'linux' ? systemProgram('bash') : 'bash', '--noprofile', '--norc', '-c', line]
      await using network = networks.join(name)
      const granted = readReach(hosts)
      // A port of this machine is a host as well, for programs that ask the proxy for it.
      const allHosts = [...new Set([...findHosts(), ...hosts.filter((host) => !host.startsWith('/'))])]
      const reach = joinReach(findReach(), granted)
      const registries = await sandbox.findRegistries(allHosts)
      const git = await findGitSettings()
      const wanted = filesFor(declares ? nonce : null, git, registries)
      await using files = await giveFiles(wanted, otherFolder)
      using confined = await sandbox.confine(bash, {
        mount,
        rootFolder,
        hosts: allHosts,
        ...(grants && { grants }),
        ...(onTalk && { onTalk }),
        reach,
        logins: registries,
        given: files.folder,
        network,
        stays: onStart !== undefined,
        memoryBytes: limits.memoryBytes,
      })
      const { carryVariables = keepVariables } = confined
      const environment = carryVariables({
        ...grants?.variables,
        ...environmentOf(mount),
        ...appMark(),
        ...confined.environment,
        ...registries.variables,
        ...variablesFor(wanted, confined.given),
        ...gitVariables(git, confined.given),
      })
      const { program: entered, contained } = limitedInMount(confined, mount, limits)
      const { filter } = confined
      const program = [...(network?.enter ?? []), ...entered]
      const { running, ...run } = await runCommand(
        {
          program,
          contained,
          timeoutMs,
          cwd: mount.folder,
          environment,
          filter,
          onChunk,
          disk: mount.home,
          limits,
          input: input ?? null,
          ...(onStart && {
            onStart: (stdin, orders, pid) => onStart(holdOf(stdin, orders, pid, confined.refusedHosts)),
          }),
        },
        signal,
      )
      for (const stream of ['stdout', 'stderr'] as const) output.accept(stream, declarations.rest(stream))
      const durationMs = Math.round(performance.now() - started)
      const isOff = sandbox.state.state === 'off'
      const result = output.result()
      const missed = isOff || run.exitCode === 0 ? [] : await missedReach(result.output, reach)
      const refusedHosts = isOff ? [] : [...new Set([...confined.refusedHosts(), ...denials.hosts(), ...missed])]
      const denied = isOff ? [] : [...refusedHosts, ...(confined.missed?.() ?? []), ...denials.lines()]
      const reached = reachedIn(run, result.output, limits)
      return {
        ...{ ...run, ...result, declared: declarations.found, denied, refusedHosts, durationMs },
        ...(reached !== '' && { reached }),
        ...(running.length > 0 && { running }),
        ...(network && { hadCompany: true as const }),
        ...(git.signs && /\bcommit\b/.test(command) && says('unsigned') && { unsigned: true }),
        ...(git.withheld && /\bgit\b/.test(command) && says('withheld') && { withheld: git.withheld }),
      }
    },
    sandbox: () => sandbox.state,
    openNetwork: networks.open,
  }
}

/** What a person granted to the project, and to this command alone. */
function joinReach(one: LocalReach, other: LocalReach): LocalReach {
  return {
    localPorts: [...new Set([...one.localPorts, ...other.localPorts])],
    sockets: [...new Set([...one.sockets, ...other.sockets])],
  }
}

/**
 * The command sets the variables itself, inside of the sandbox: some, such as `LD_PRELOAD`, would otherwise hold for the
 * program that makes the sandbox.
 */
function withVariables(command: string, variables: Readonly<Record<string, string>>): string {
  const sets = Object.entries(variables).map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'`)
  return sets.length === 0 ? command : `export ${sets.join(' ')}; ${command}`
}

const keepVariables = (variables: Readonly<Record<string, string>>) => variables

/** A server may run for days, so its processor time says nothing. */
function limitsOfStaying(limits: CommandLimits): CommandLimits {
  return { ...limits, cpuSeconds: Number.POSITIVE_INFINITY }
}

/**
 * The command line for the mount, within what the kernel can limit. `contained` is true when the mount makes namespaces for
 * it, so that everything in them ends together.
 */
function limitedInMount(
  { program, isConfined }: Confined,
  mount: MountView,
  limits: CommandLimits,
): { readonly program: readonly string[]; readonly contained: boolean } {
  const contained = mount.enter(program, isConfined).length > program.length
  return { program: mount.enter(withinLimits(program, limits, contained), isConfined), contained }
}

/** A sentence about the limit that the command reached; empty for none. */
function reachedIn({ endedBy, exitCode }: Omit<CommandRun, 'running'>, output: string, limits: CommandLimits): string {
  if (endedBy === 'time') return ''
  if (endedBy !== 'itself') return limitText(endedBy, limits)
  return exitCode === 0 ? '' : openFilesText(output, limits)
}

const nothing = async (): Promise<GitSettings> => ({ values: [], texts: {} })

/** `nonce` is null for a command that declares nothing. */
function filesFor(nonce: string | null, git: GitSettings, registries: Registries): FilesToGive {
  const settings = { ...registries.settings, ...gitTexts(git) }
  return { settings, programs: nonce === null ? {} : { [spawnName]: spawnProgram(nonce, systemProgram('bash')) } }
}

const settingsVariables: Readonly<Record<string, readonly string[]>> = {
  ...registryVariables,
  [gitSettingsName]: ['GIT_CONFIG_SYSTEM'],
}

/** A command may put folders before the app's own, so the rest of PATH stays as it is. `given`: where the files are. */
function variablesFor(files: FilesToGive, given: string | null): Readonly<Record<string, string>> {
  if (given === null) return {}
  const { settings, programs } = files
  const path = [join(given, programsFolder), process.env.PATH || systemPath].join(delimiter)
  const named = Object.keys(settings).flatMap((name) =>
    (settingsVariables[name] ?? []).map((variable) => [variable, join(given, name)] as const),
  )
  return { ...(spawnName in programs && { PATH: path }), ...Object.fromEntries(named) }
}

/** An allow-list, so that nothing of the app's own environment is passed on by accident. */
function environmentOf(mount: MountView): Record<string, string> {
  const kept = passedOn.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    LANG: 'C.UTF-8',
    ...personOf(process.env),
    ...Object.fromEntries(kept),
    ...certificatesOf(process.env),
    HOME: mount.home,
    TMPDIR: mount.temporary,
    TERM: 'dumb',
  }
}

/** Who a shell says that it is for. A shell that is not part of the system cannot be started by a command. */
function personOf({ USER, LOGNAME, SHELL }: NodeJS.ProcessEnv): Record<string, string> {
  if (process.platform === 'win32') return {}
  const name = USER || LOGNAME || accountName()
  const shell = SHELL && /^\/(usr\/)?bin\//.test(SHELL) ? SHELL : systemProgram('bash')
  return { SHELL: shell, ...(name !== undefined && { USER: name, LOGNAME: name }) }
}

/** Undefined for a number without a name, as in some containers. */
function accountName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}

/**
 * Only those in folders of the system, since a command sees these. With a file that is missing, programs trust nobody. What
 * others name is given as a file (`hiddenAuthorities`).
 */
function certificatesOf(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    certificates.flatMap((name) => {
      const place = environment[name]
      return place !== undefined && isOfSystem(place) ? [[name, place] as const] : []
    }),
  )
}

/** Finds lines on standard error that report something the sandbox prevented. */
export interface Denials {
  read(chunk: Buffer): void
  /** Hosts that could not be looked up. */
  hosts(): readonly string[]
  /** The other lines. */
  lines(): readonly string[]
}

const told =
  /Permission denied|Read-only file system|Operation not permitted|Network is unreachable|name resolution|resolve host/
const mostLines = 5
const longestLine = 300

function createDenials(): Denials {
  const found = new Set<string>()
  const hosts = new Set<string>()
  let rest = ''
  const readLine = (line: string): void => {
    const host = missedHost(line)
    if (host !== undefined && hosts.size < mostLines) hosts.add(host)
    else if (told.test(line) && found.size < mostLines) found.add(beginningOf(line, longestLine))
  }
  return {
    read(chunk) {
      const lines = (rest + chunk.toString()).split('\n')
      rest = tailOf(lines.pop() ?? '', longestLine)
      for (const line of lines) readLine(line)
    },
    hosts() {
      readLine(rest)
      rest = ''
      return [...hosts]
    },
    lines: () => [...found],
  }
}
