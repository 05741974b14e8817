/** Something that reads text from a model, a project, a server or a disk. */
export interface FuzzTarget {
  readonly name: string
  /** Inputs that reach much of the reader. Others are made from them. */
  readonly seeds: readonly string[]
  /** Reads one input. Throws when a law is broken; errors that the reader is meant to give are no failure. */
  run(input: Buffer): void | Promise<void>
}

/** Throws an error that names the broken law. */
export function requireLaw(holds: boolean, law: string): void {
  if (!holds) throw new Error(`broken law: ${law}`)
}
