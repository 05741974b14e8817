import { WireError } from '#shared/contract/wire-errors.ts'
import type { Door } from './door.ts'

/** A project that another process has open, and where that one takes command lines about it. */
export class HeldProjectError extends WireError {
  /** Null when that process takes none. */
  readonly door: Door | null

  constructor(message: string, door: Door | null) {
    super('PROJECT_LOCKED', message)
    this.door = door
  }
}
