import type { Sandbox } from '#adapters/shell/sandbox.ts'

/** What a shell gives the host: where things are, and what only the shell can do. */
export interface HostOptions {
  readonly frontend: 'desktop' | 'web' | 'cli'
  readonly version: string
  readonly dataFolder: string
  /** Overlays the settings of the data folder. */
  readonly settingsFile: string | null
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The Node that runs code; the pinned one in development, the shipped one in the packaged app. */
  readonly nodePath: string
  readonly runnerChildPath: string
  readonly textWorkerPath: string
  readonly demoFolder: string
  readonly initialFolder: string | null
  readonly secrets: Secrets
  /** Shown in the message of a second instance. */
  readonly holder: string
  /** Opens what keeps commands in; the system's own unless told. */
  readonly openSandbox?: () => Promise<Sandbox>
  /** What the command line says for this process only. */
  readonly overrides?: { readonly maxIterations?: number }
  readonly pickFolder?: () => Promise<string | null>
  readonly notify?: (notification: { readonly title: string; readonly body: string }) => void
  readonly openExternal?: (url: string) => Promise<void>
  readonly log: (problem: string, error: unknown) => void
}

/** Where a key may be kept; implemented by each shell, never seen by the renderer. */
export interface Secrets {
  readonly storage: 'system' | 'plain' | 'none'
  read(): Promise<string | null>
  write(key: string): Promise<void>
  clear(): Promise<void>
}
