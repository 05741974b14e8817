/** A file of the project, as the checks of the structure see it. */
export interface Module {
  /** From `src`, or from the project for a file of a package, with `/`. */
  readonly path: string
  readonly text: string
  readonly lines: number
  /** Specifiers as written. */
  readonly imports: readonly string[]
  /** The project files that they name. */
  readonly targets: readonly string[]
  readonly isTest: boolean
}

/** The project's folder, and its `src`. */
export const root: string
export const source: string

export function isWithin(path: string, folder: string): boolean
export function readModules(folder?: string): readonly Module[]
