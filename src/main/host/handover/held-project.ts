import { WireError } from '#shared/contract/wire-errors.ts'
import type { Door } from './door.ts'

/** A project that another process has open, and where that one takes command lines about it. */
export class HeldProjectError extends WireError {
  /** Null when that process takes none. Undefined when it has only just come, and has not said where. */
  readonly door: Door | null | undefined

  constructor(message: string, door: Door | null | undefined) {
    super('PROJECT_LOCKED', message)
    this.door = door
  }
}
