import { defineError } from '#shared/base/define-error.ts'
import type { MountChange, MountView } from './branch-mounts.ts'

export interface ShellRequest {
  /** One line or a whole script, for the system's shell. */
  readonly command: string
  /** Text of any length for standard input, which ends after it. Nothing can be read without it. */
  readonly input?: string
  /** Wall-clock time, after which the command is ended. */
  readonly timeoutMs: number
  /** Where the command runs. The caller opens the mount and captures its changes. */
  readonly mount: MountView
  /** Hosts that a person lets this command reach when the sandbox cuts off the network. None by default. */
  readonly hosts?: readonly string[]
  /** Further exceptions of the sandbox for this command. Absent for none. */
  readonly grants?: ShellGrants
  /** Gives the command the program `spawn_subagent`, which declares tasks. */
  readonly declares?: boolean
  /**
   * Called with each piece of output as it comes: standard output and standard error mixed. Pieces beyond 1 MB are left
   * out, except for a command that stays.
   */
  readonly onOutput: (text: string) => void
  /** Called with every piece of standard output as bytes, for a program that speaks a protocol there. */
  readonly onBytes?: (bytes: Uint8Array) => void
  /**
   * Commands of one network reach each other's ports, and nobody else's, while that network is open. Absent, or when it
   * is not open, for a network of the command's own.
   */
  readonly network?: string
  /**
   * Lets the command and what it starts talk with the app, if the sandbox has a way for it. Called for each talk. How one
   * begins is in `talkVariable`.
   */
  readonly onTalk?: (talk: Talk) => void
  /** For a command that stays: called once it runs. Its standard input then stays open. */
  readonly onStart?: (running: RunningCommand) => void
}

/** Names the command line of a program whose standard streams are a talk with the app. Not set where there is no way for it. */
export const talkVariable = 'COPPICE_TALK'

/** What a program in the sandbox and the app say to each other. */
export interface Talk {
  /** Hears what the program says from now on. */
  listen(onBytes: (bytes: Uint8Array) => void): void
  write(text: string): void
  close(): void
  /** Resolves when either side has ended it. Never rejects. */
  readonly ended: Promise<void>
}

/** What of this machine programs in the sandbox reach, by name. */
export interface LocalReach {
  /** Ports of the machine's loopback to which the same port of the program's loopback leads. */
  readonly localPorts: readonly number[]
  /** Absolute paths of sockets of the machine, which the program finds at the same paths. */
  readonly sockets: readonly string[]
}

/** What a person lets a program have beside its view and its hosts. Where no sandbox confines it, it has all of that anyway. */
export interface ShellGrants {
  /** The command line of a program of the person's that it finds wherever that is installed. Empty for none. */
  readonly program: string
  /** Ports of the machine's loopback to which the same port of the program's loopback leads. */
  readonly localPorts: readonly number[]
  /** Files and folders of the person's home, as paths below it, which the program finds in its own home and may change. */
  readonly home: readonly string[]
  /** Variables of its environment. Those that the app sets itself win. */
  readonly variables: Readonly<Record<string, string>>
}

/** A change of a file that a running command is shown. */
export type ShownChange = Exclude<MountChange, { kind: 'large' }>

/** A hold on a command that runs. After its end, nothing here has an effect. */
export interface RunningCommand {
  /** Adds to the standard input. */
  write(text: string): void
  /** Asks the command to end. It may go on; the signal of `execute` ends it for sure. */
  askToEnd(): void
  /** The ports for TCP on which it and what it started listen now. Empty where the system does not tell. */
  findPorts(): Promise<readonly number[]>
  /** Hosts that the sandbox has kept it from by now. */
  refusedHosts(): readonly string[]
  /** Makes the changes in the files that the command sees, in their order and soon. What the command prevents is left out. */
  show(changes: readonly ShownChange[]): void
}

/** A port on which a command listens for TCP. */
export interface ListeningPort {
  readonly port: number
  /** How it is reached: `v6` for one that listens on IPv6. */
  readonly family: 'v4' | 'v6'
}

/** A way from the machine's loopback into a network of commands, for HTTP and web sockets. */
export interface Preview extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123/`. It refuses every request whose host is not the machine's loopback. */
  readonly url: string
}

/** The network that some commands share: a loopback of their own. Disposing it ends its previews. */
export interface CommandNetwork extends AsyncDisposable {
  /** What listens now, sorted by port. Empty for a network that has ended. */
  ports(): readonly ListeningPort[]
  /** Throws `ShellError` when it cannot be opened. */
  openPreview(port: ListeningPort): Promise<Preview>
}

export interface ShellOutcome {
  /** Null when a signal ended the command. */
  readonly exitCode: number | null
  /** The signal's name, such as `SIGKILL`; null when the command exited on its own. */
  readonly signal: string | null
  /** Cut in the middle beyond 1 MB. */
  readonly output: string
  /** Number of bytes that the cut left out of `output`; 0 when it is complete. */
  readonly omittedBytes: number
  /** `disk`: the command used too much space, or left too little free. The others name what it took too much of. */
  readonly endedBy: 'itself' | 'time' | 'memory' | 'machine_memory' | 'processes' | 'cpu' | 'disk'
  /** Which limit it reached and what sets it, as a sentence without its full stop. Absent for none. */
  readonly reached?: string
  /**
   * Command lines of all that ran when the time was up, the programs that wait for others first. Absent for another end, and
   * where the system does not tell.
   */
  readonly running?: readonly string[]
  /** Wall-clock time. */
  readonly durationMs: number
  /** What the sandbox refused, as far as known: hosts, and lines of the command's own output. */
  readonly denied: readonly string[]
  /** The hosts alone. Absent for none. */
  readonly refusedHosts?: readonly string[]
  /** True when other programs of its network stayed while it ran. Absent otherwise. */
  readonly hadCompany?: true
  /** True for the first command that commits where the person's commits are signed: here they are not. Absent otherwise. */
  readonly unsigned?: true
  /** Git settings of the person that commands lack for a credential in them. Named with the first use of git; else absent. */
  readonly withheld?: readonly string[]
  /** Declared tasks in order, as JSON text exactly as written, which may be invalid. They are not in `output`. */
  readonly declared: readonly string[]
}

/** Whether and why commands are isolated from the rest of the machine. Unless it is `on`, every command asks. */
export interface SandboxState {
  /** `partial`: files are isolated, but not the network, other processes or what a command may do as the user it is. */
  readonly state: 'on' | 'partial' | 'off'
  /** A sentence or two for a person. */
  readonly reason: string
}

/** Runs commands in the mount of a branch. Every process that a command started ends with it. */
export interface CommandShell {
  /** A failing command is an outcome. Throws `ShellError` when it cannot be started, and the abort reason. */
  execute(request: ShellRequest, signal: AbortSignal): Promise<ShellOutcome>
  /** Fixed when the shell is made. */
  sandbox(): SandboxState
  /**
   * Opens the network of this name for commands that start from now on. Null when the system cannot separate networks.
   * Throws `ShellError` when it fails, and when the name is open.
   */
  openNetwork(name: string): Promise<CommandNetwork | null>
}

export const ShellError = defineError<'unavailable'>('ShellError')
export type ShellError = InstanceType<typeof ShellError>
