import type { LayerId } from '#shared/model/ids.ts'
import type { SetupState } from '#shared/model/setup.ts'

/** What a setup left, for every branch to begin with. */
export interface SetupBase {
  /** Names the command, its hosts, the content of its inputs and the kind of views. Another key needs another run. */
  readonly key: string
  /** The oldest first; empty when it left nothing. */
  readonly layers: readonly LayerId[]
  readonly state: Extract<SetupState, { kind: 'ready' }>
}

export interface SetupFailure {
  readonly key: string
  readonly state: Extract<SetupState, { kind: 'failed' }>
}

/** All that is kept about the setup of one project. */
export interface SetupRecord {
  /** The last one that ended well. Null before. */
  readonly base: SetupBase | null
  /** The layers of those before it, so that branches which have no more than one of them are known. */
  readonly earlier: readonly (readonly LayerId[])[]
  /** The last one, if it failed. */
  readonly failure: SetupFailure | null
}

export const emptySetupRecord: SetupRecord = { base: null, earlier: [], failure: null }

/** Keeps the record of one project and the output of its last setup. A kill leaves the record as it was before. */
export interface SetupRecords {
  /** Empty when there is none, or when it is damaged. */
  read(): SetupRecord
  write(record: SetupRecord): void
  /** Empty before the first setup. */
  readOutput(): string
  writeOutput(text: string): void
}
