import type { Sandbox } from '#adapters/shell/sandbox.ts'
import type { ReplaySource } from '#core/records/recorded-model.ts'
import type { InstalledCommand } from '#shared/contract/views/app.ts'
import type { Guest } from '../handover/door.ts'
import type { GivenFolder } from '../settings/folders.ts'
import type { PackageOwner, Updater } from '../updates/updater.ts'

/** What a frontend gives the host: where things are, and what only the frontend can do. */
export interface HostOptions {
  readonly frontend: 'desktop' | 'web' | 'cli'
  readonly version: string
  readonly dataFolder: string
  /** A file that overrides the settings of the data folder. Null for none. */
  readonly settingsFile: string | null
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Path of the Node that runs code: the pinned one in development, the shipped one in the packaged app. */
  readonly nodePath: string
  readonly runnerChildPath: string
  readonly textWorkerPath: string
  readonly indexWorkerPath: string
  readonly pdfWorkerPath: string
  readonly pageWorkerPath: string
  readonly demoFolder: string
  readonly initialFolder: string | null
  readonly secrets: Secrets
  /** The name of this process in the message of a second instance. */
  readonly holder: string
  /** Carries out a command line about an open project for another process. Absent where this process takes none. */
  readonly carryOut?: (guest: Guest) => Promise<number>
  /** Opens the sandbox for commands. Uses the system's own when absent. */
  readonly openSandbox?: () => Promise<Sandbox>
  /** Options of the command line for this process only. */
  readonly overrides?: {
    readonly maxIterations?: number
    readonly hosts?: readonly string[]
    /** Ports and sockets of this machine, as in the settings. */
    readonly localPorts?: readonly number[]
    readonly sockets?: readonly string[]
    /** Folders beside the projects that agents may read. */
    readonly folders?: readonly GivenFolder[]
    /** A command; `auto` for what the project's files call for, without a question; `none` for no setup. */
    readonly setup?: string
  }
  /** Models answer from a record instead of a provider, under its settings. */
  readonly replay?: ReplaySource
  /** How the system's own settings lead to an address, as browsers write it: `PROXY host:port; DIRECT`. Absent where only the environment is known. */
  readonly findProxy?: (url: string) => Promise<string>
  /** Keeps the computer awake until the result is disposed. A program of the system does it when absent. */
  readonly keepAwake?: () => Disposable
  readonly openExternal?: (url: string) => Promise<void>
  /** Shows a folder in the system's own file manager. */
  readonly showFolder?: (path: string) => Promise<void>
  /** Puts the `coppice` command on the person's PATH. Rejects with a sentence for a person. */
  readonly installCommand?: () => Promise<InstalledCommand>
  /** Absent where another program brings new versions. */
  readonly updater?: Updater
  /** The program that brings new versions when `updater` is absent. The default is npm. */
  readonly owner?: PackageOwner
  /** Absolute path of the file that `log` writes to. Absent when it prints. */
  readonly logFile?: string
  readonly log: (problem: string, error: unknown) => void
  /** Tells a person something about this machine that is no failure, as a sentence. */
  readonly warn?: (sentence: string) => void
}

/**
 * Keeps keys by name; null is the name of the built-in profile's key. Each frontend implements it, and the renderer never
 * sees a key.
 */
export interface Secrets {
  readonly storage: 'system' | 'plain' | 'none'
  read(name: string | null): Promise<string | null>
  write(name: string | null, key: string): Promise<void>
  clear(name: string | null): Promise<void>
}
