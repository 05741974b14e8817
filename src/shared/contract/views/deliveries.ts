import type { FileChange } from '../../model/branch.ts'
import type { MadeCommit } from '../../model/calls/outcome.ts'
import type { Delivery, DeliveryFile } from '../../model/delivery.ts'
import type { Sequence } from '../../model/ids.ts'
import type { VirtualPath } from '../../model/virtual-path.ts'

/** What a delivery into one repository would do. */
export interface DeliveryPlan {
  /** The folder of the repository, relative to the project: empty for the one around the project. */
  readonly repository: string
  /** Absolute path of its top. */
  readonly folder: string
  readonly branch: string
  /** The commit that the branch is at; null for a branch that will be made. */
  readonly tip: string | null
  /** The commit that the first one stands on. */
  readonly base: string
  /** `Name <address>`, by the person's settings of git. */
  readonly author: string
  /** Whether the person's settings ask for signed commits. */
  readonly signs: boolean
  /** What each commit would say, and how many files it changes. */
  readonly commits: readonly { readonly message: string; readonly files: number }[]
  readonly files: readonly DeliveryFile[]
  readonly leftOut: readonly { readonly path: VirtualPath; readonly why: string }[]
  /** What a person must know before, as whole sentences. */
  readonly notes: readonly string[]
}

/** What delivering a workspace would do: one plan for each repository, those inside others first. */
export interface DeliveryPlans {
  readonly plans: readonly DeliveryPlan[]
  /** Commits that agents made in git of their views, which `commits: 'agent'` delivers as they are. */
  readonly ofAgents: readonly MadeCommit[]
}

/** Messages that a model proposes for the commits of a plan. */
export interface ProposedMessages {
  /** In the order of the longest plan. */
  readonly messages: readonly string[]
  readonly model: string
  /** What the question cost, in US dollars; null when the price is not known. */
  readonly cost: number | null
}

/** What one repository got. */
export interface DeliveryReceipt extends Delivery {
  /** The entry to undo. */
  readonly sequence: Sequence
}

/** How a push and a pull request ended. */
export interface Published {
  /** Empty where nobody knows which one is meant. */
  readonly remote: string
  /** What the person's programs printed. */
  readonly output: string
  /** Why it failed, as a sentence with the next step. Null when all went well. */
  readonly problem: string | null
  readonly pullRequest: string | null
}

/** What the hooks of a delivery said, and what they changed. Nothing of it counts yet. */
export interface HooksRun {
  /** Names the run, for `takeHooks` and `make`. It is known until the next run, and until the project closes. */
  readonly id: string
  readonly repositories: readonly {
    readonly repository: string
    /** Names of those that ran. */
    readonly ran: readonly string[]
  }[]
  /** Why the commits may not be made, as a sentence. Null when no hook refused. */
  readonly problem: string | null
  /** What a person must know beside it, as sentences. */
  readonly notes: readonly string[]
  /** Files that they changed. */
  readonly files: readonly Pick<FileChange, 'path' | 'kind' | 'added' | 'removed'>[]
  /** How many messages they changed. */
  readonly messages: number
}

/** What programs that run for a person tell while they go on. The last event is their end. */
export type ProgramEvent<End> =
  | { readonly kind: 'output'; readonly text: string }
  | { readonly kind: 'ended'; readonly end: End }
