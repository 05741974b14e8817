import type { Effort, ModelAbilities, ModelPrices } from '../../model/models/model-facts.ts'
import type { AssumedPrice } from '../../model/models/usage.ts'
import type { RecentProject } from './projects.ts'

export interface AppInfo {
  readonly version: string
  /** A host without a window says `web`. */
  readonly shell: 'desktop' | 'web'
  /** The system of the host, which the browser may not share. */
  readonly platform: 'darwin' | 'win32' | 'linux' | 'other'
  /** The folder given on the command line, opened at once when present. */
  readonly initialFolder: string | null
  /** Absolute path on the host. */
  readonly homeFolder: string
  /** False where the host has no folder dialog; `app.folders` lists folders then. */
  readonly canPickFolder: boolean
  readonly provider: ProviderInfo
  /** Fixed when the host starts. */
  readonly sandbox: SandboxInfo
  /** Absolute path of the folder with all data. Removing the app leaves it. */
  readonly dataFolder: string
  /** Absolute path of the log; null where problems are printed. */
  readonly logFile: string | null
  /** Whether `app.installCommand` can do something here. */
  readonly canInstallCommand: boolean
  /** Most recently opened first. */
  readonly recent: readonly RecentProject[]
}

/** Whether commands are shut off from the rest of the machine. Unless it is `on`, every command asks. */
export interface SandboxInfo {
  /** `partial`: files are kept apart, but not the network, other processes or what a command may do as the user it is. */
  readonly state: 'on' | 'partial' | 'off'
  /** A sentence or two for a person. */
  readonly reason: string
  /** What a person types to turn it on; null when it is on, and where no single command does it. */
  readonly command: string | null
}

/** The `coppice` command after it was installed. */
export interface InstalledCommand {
  /** Absolute path of the command. */
  readonly path: string
  /** What is left to do, such as a line for the shell; null for nothing. */
  readonly next: string | null
}

export interface ProviderInfo {
  /** Id of the model that a new thread takes by default. */
  readonly model: string
  /** Null for the provider's own address. */
  readonly baseUrl: string | null
  /** Where the key comes from; the key itself never reaches the renderer. */
  readonly keySource: 'environment' | 'stored' | 'memory' | null
  /** Whether the default model can be asked: it has a key, or needs none. */
  readonly canAsk: boolean
  /** The models of all profiles. */
  readonly models: readonly ModelChoice[]
  /** What a run with the default model may cost in US dollars; null without a limit. */
  readonly runLimit: number | null
  /**
   * What the limit counts with when the price of the default model is unknown, in US dollars per million tokens, or
   * `refuse` when no run with it starts. Null when the price is known or there is no limit.
   */
  readonly assumedPrice: AssumedPrice | 'refuse' | null
}

export interface ModelChoice {
  /** What settings and threads store. */
  readonly id: string
  /** For people; equal to the id when the provider gives no name. */
  readonly name: string
  /** Tokens. */
  readonly contextWindow: number
  /** Who answers: a company, the name of a profile, or the app itself. */
  readonly provider?: string
  /** For an external agent: when to use it. Absent for a model. */
  readonly about?: string
  /** The profile that it belongs to; absent for the demo. */
  readonly profile?: string
  /** Most tokens of one reply; null while unknown. */
  readonly maxOutput?: number | null
  /** US dollars per million tokens; null while unknown, all zero for a model that costs nothing. */
  readonly price?: ModelPrices | null
  /** What it can do, as far as it is known. */
  readonly can?: ModelAbilities
  /** For an external agent: how long it can be asked to think, lowest first. Absent while unknown. */
  readonly efforts?: readonly Effort[]
  /** For an external agent: its own modes. Absent while unknown. */
  readonly modes?: readonly { readonly id: string; readonly name: string }[]
}

/**
 * Something that changed on disk beside the journal: settings, the files that give agents instructions, or the
 * checked-out branch. A hint to ask again.
 */
export type OutsideChange = 'settings' | 'extensions' | 'git'

/** One part of the machine, after a real trial. */
export interface Examination {
  /** For people, such as `ripgrep`. */
  readonly name: string
  /** `optional`: the part is missing and the app works without it. */
  readonly state: 'ok' | 'optional' | 'broken'
  /** What was found, or the error and how to fix it. */
  readonly detail: string
}

export interface ConnectionTest {
  /** False for a refused key and when no answer came in time. */
  readonly ok: boolean
  readonly message: string
  /** Empty when the test failed. */
  readonly models: readonly ModelChoice[]
}
