import type { Socket } from 'node:net'
import type { FrameToTerminal } from '#host/handover/frames.ts'

/** Thrown instead of a refusal when the process that has the project open carries out the command line. */
export class HandOver extends Error {
  /** The name of that process for a person. */
  readonly holder: string
  readonly socket: Socket
  /** Calls back for every frame, also for those that came before. Null for the end of the connection. */
  readonly listen: (take: (frame: FrameToTerminal | null) => void) => void

  constructor(holder: string, socket: Socket, listen: HandOver['listen']) {
    super(`It is carried out by ${holder}.`)
    this.holder = holder
    this.socket = socket
    this.listen = listen
  }
}
