import type { Sandbox } from '#adapters/shell/sandbox.ts'

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
  readonly pdfWorkerPath: string
  readonly demoFolder: string
  readonly initialFolder: string | null
  readonly secrets: Secrets
  /** The name of this process in the message of a second instance. */
  readonly holder: string
  /** Opens the sandbox for commands. Uses the system's own when absent. */
  readonly openSandbox?: () => Promise<Sandbox>
  /** Options of the command line for this process only. */
  readonly overrides?: {
    readonly maxIterations?: number
    readonly hosts?: readonly string[]
    /** A command; `auto` for what the project's files call for, without a question; `none` for no setup. */
    readonly setup?: string
  }
  readonly pickFolder?: () => Promise<string | null>
  readonly notify?: (notification: { readonly title: string; readonly body: string }) => void
  /** Shows in the task bar how much of the work is done, from 0 to 1; null shows nothing. */
  readonly showProgress?: (share: number | null) => void
  readonly openExternal?: (url: string) => Promise<void>
  readonly log: (problem: string, error: unknown) => void
  /** Tells a person something about this machine that is no failure, as a sentence. */
  readonly warn?: (sentence: string) => void
}

/** Keeps the API key. Each frontend implements it, and the renderer never sees the key. */
export interface Secrets {
  readonly storage: 'system' | 'plain' | 'none'
  read(): Promise<string | null>
  write(key: string): Promise<void>
  clear(): Promise<void>
}
