import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { SandboxState } from '#core/ports/shell.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import type { CommandUser } from '../../system/command-user.ts'
import { asOwnUser, endsNamespaces, inNamespacesOf } from '../../system/namespaces.ts'
import { isProgram, systemProgram } from '../../system/system-programs.ts'
import { listenOnLoopback } from '../loopback-server.ts'
import { type BubblewrapOptions, inBubblewrap } from './bubblewrap.ts'

/** What a sandbox may rely on here. */
export interface Probed extends Pick<BubblewrapOptions, 'withoutNetwork' | 'ownProcesses'> {
  readonly state: SandboxState
  /** True when a command was seen not to reach a server of this machine. */
  readonly isCutOff: boolean
}

export interface ProbeInput
  extends Pick<
    BubblewrapOptions,
    'user' | 'places' | 'kernel' | 'masked' | 'filterDescriptor' | 'enter' | 'bubblewrap'
  > {
  /** An empty folder for the probe. */
  readonly folder: string
  readonly filterFile: string
}

/**
 * Tries as a command everything that the sandbox promises to prevent. It opens places of the machine for writing, but
 * never writes. `bash` does it alone: a program for each place would take seconds.
 */
const attempts = `echo "user $EUID"
try() { for place in "$@"; do if [ -f "$place" ] && true >> "$place"; then echo "opened $place"; fi; done 2> /dev/null; }
try /proc/[!0-9]* /proc/sys/*/* /proc/sys/*/*/* /proc/irq/* /proc/irq/*/* /proc/bus/*/* /proc/bus/*/*/* /proc/acpi/* \\
  /proc/fs/*/* /proc/fs/*/*/* /proc/scsi/* /proc/scsi/*/* /proc/driver/* /proc/tty/*/* /proc/pressure/* /proc/asound/* \\
  /sys/kernel/* /sys/power/* /sys/module/*/parameters/* /sys/fs/cgroup/* /sys/fs/cgroup/*/* /sys/class/*/*/uevent \\
  /etc/hosts /etc/passwd /etc/hostname "$2"
if [ -n "$1" ] && true < "/dev/tcp/127.0.0.1/$1"; then echo 'reached the network'; fi 2> /dev/null
true > probe && echo done`

const onReason =
  'bubblewrap: commands can write to their view alone, read system and tool chains, and reach only hosts you grant.'

interface Attempt {
  readonly ran: true
  readonly user: number
  readonly opened: readonly string[]
  readonly reached: boolean
}

export async function probeSandbox(input: ProbeInput): Promise<Probed> {
  if (input.enter === null) return off(`Coppice has no program for views and sandboxes on ${process.arch}.`)
  const { bubblewrap = systemProgram('bwrap') } = input
  let words = ''
  for (const ownProcesses of [true, false]) {
    for (const withoutNetwork of [true, false]) {
      const seen = await attempt(input, { withoutNetwork, ownProcesses })
      if (seen.ran) {
        const state = judge(input.user, seen, ownProcesses)
        return { state, withoutNetwork, ownProcesses, isCutOff: !seen.reached }
      }
      words ||= seen.words
    }
  }
  if (!isAbsolute(bubblewrap) || !isProgram(bubblewrap))
    return off('bubblewrap is not installed (on Debian: apt install bubblewrap socat).')
  const version = await outputOf([bubblewrap, '--version'])
  if (version.code !== 0)
    return off(`bubblewrap is installed (${bubblewrap}), but does not run here${saying(version.words)}.`)
  return off(
    `bubblewrap cannot make namespaces here${saying(words)} (user namespaces are switched off, as by kernel.apparmor_restrict_unprivileged_userns, or this is a container without them).`,
  )
}

function saying(words: string): string {
  return words === '' ? '' : `: ${words}`
}

/**
 * True unless a command that shares a network is seen not to reach a server of this machine. `enter` is the way into that
 * network.
 */
export async function reachesMachine(
  input: ProbeInput,
  how: Pick<BubblewrapOptions, 'ownProcesses'>,
  enter: readonly string[],
): Promise<boolean> {
  const seen = await attempt(input, { ...how, withoutNetwork: false }, enter)
  return !seen.ran || seen.reached
}

function judge(user: CommandUser, { user: number, opened, reached }: Attempt, ownProcesses: boolean): SandboxState {
  const problems = [
    ...(reached ? ['this system does not let it cut off the network'] : []),
    ...(ownProcesses ? [] : ['this system does not let it hide other processes']),
    ...(number === 0 || user.kind === 'root'
      ? [`Coppice runs as root and so do its commands (${user.kind === 'root' ? user.why : 'they see uid 0'})`]
      : []),
    ...(opened.length === 0 ? [] : [`commands can open places of the machine for writing, such as ${opened[0]}`]),
  ]
  if (problems.length === 0) return { state: 'on', reason: onReason }
  return {
    state: 'partial',
    reason: `bubblewrap keeps files apart, but ${problems.join(', and ')}. Every command asks.`,
  }
}

/** What a command could do, or the last words of what did not let it run. */
async function attempt(
  { folder, filterFile, ...input }: ProbeInput,
  how: Pick<BubblewrapOptions, 'withoutNetwork' | 'ownProcesses'>,
  enter: readonly string[] = [],
): Promise<Attempt | { readonly ran: false; readonly words: string }> {
  const [view, outside] = [join(folder, 'view'), join(folder, 'outside')]
  await mkdir(view, { recursive: true })
  await writeFile(outside, '')
  const mount = { folder: view, home: view, temporary: view, places: [] }
  await using server = await listenOnLoopback()
  const program = [systemProgram('bash'), '--noprofile', '--norc', '-c', attempts, 'bash', server.port, outside]
  const confined = inBubblewrap(program, mount, {
    ...input,
    ...how,
    rootFolder: null,
    given: null,
    proxySocket: null,
    memoryBytes,
  })
  const filter = input.filterDescriptor === null ? null : filterFile
  const { code, output, words } = await outputOf([...enter, ...asMountsEnter(input.user, folder, confined)], filter)
  const lines = output.split('\n')
  const user = lines.find((line) => line.startsWith('user '))
  if (code !== 0 || !user || !lines.includes('done')) return { ran: false, words }
  const opened = lines.filter((line) => line.startsWith('opened ')).map((line) => line.slice('opened '.length))
  return { ran: true, user: Number(user.slice('user '.length)), opened, reached: server.isReached() }
}

/** The way mounts start programs. If that works, the sandbox works inside it. */
function asMountsEnter(user: CommandUser, folder: string, program: readonly string[]): readonly string[] {
  const given = [{ from: folder, to: folder, writable: true }]
  return inNamespacesOf(user, program, { steps: user.kind === 'own' ? asOwnUser() : [], given })
}

/** The probe needs none, so any amount will do. In bytes. */
const memoryBytes = 1024 ** 2

interface Ended {
  /** Null when it did not start or took too long. */
  readonly code: number | null
  readonly output: string
  /** The last line of its errors, as it can be shown. */
  readonly words: string
}

/** In characters, of the words of a program. */
const mostWords = 200

/** `filter` is opened under the first free descriptor. */
function outputOf([file = '', ...parameters]: readonly string[], filter: string | null = null): Promise<Ended> {
  const opened = filter === null ? [] : [openSync(filter, 'r')]
  return new Promise((resolve) => {
    const child = spawn(file, parameters, {
      stdio: ['ignore', 'pipe', 'pipe', ...opened],
      ...{ timeout: 10_000, killSignal: endsNamespaces },
    })
    for (const descriptor of opened) closeSync(descriptor)
    let [output, errors] = ['', '']
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-4_096)))
    child.on('error', ({ message }) => resolve({ code: null, output: '', words: message }))
    child.on('close', (code) => {
      const last = errors.trimEnd().split('\n').at(-1)?.slice(0, mostWords) ?? ''
      resolve({ code, output, words: oneLine(last) })
    })
  })
}

function off(why: string): Probed {
  return {
    state: { state: 'off', reason: `${why} Every command asks.` },
    withoutNetwork: false,
    ownProcesses: true,
    isCutOff: false,
  }
}
