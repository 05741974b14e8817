import type { NewVersion, UpdateProblem } from '#shared/contract/views/updates.ts'

/** Brings new versions of the app. Each frontend that can replace itself implements it. */
export interface Updater {
  /** The latest version, or null when this one is. Throws `UpdaterError`. */
  check(): Promise<NewVersion | null>
  /**
   * Downloads what `check` found, beside the app. A file that is not whole is thrown away. `onShare` hears the finished
   * share from 0 to 1. Throws `UpdaterError`.
   */
  download(onShare: (share: number) => void): Promise<void>
  /** Stores everything, ends the app and starts the downloaded version. Throws `UpdaterError`. */
  install(): Promise<void>
}

/** Who brings new versions when the app does not. */
export type PackageOwner = 'npm' | 'deb' | 'rpm' | 'source'

export class UpdaterError extends Error {
  override readonly name = 'UpdaterError'
  readonly problem: UpdateProblem

  constructor(problem: UpdateProblem, message: string) {
    super(message)
    this.problem = problem
  }
}
