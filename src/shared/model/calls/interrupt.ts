import type { JsonObject } from '../../base/json.ts'
import { grantableHost } from '../../base/reach/host-names.ts'
import type { InterruptId, ThreadId, ToolCallId } from '../ids.ts'
import type { VirtualPath } from '../virtual-path.ts'
import type { CallEffects } from './outcome.ts'

export const decisionTypes = ['approve', 'edit', 'reject', 'respond', 'run_again', 'mark_done', 'skip'] as const
export type DecisionType = (typeof decisionTypes)[number]

/** The answers to a call that a crash cut off. It is unknown whether the call had its effect. */
export const unknownEndDecisions: readonly DecisionType[] = ['run_again', 'mark_done', 'skip']

/** How much harm a call could do at most, judged by what it can reach. */
export const riskLevels = ['low', 'medium', 'high'] as const
export type RiskLevel = (typeof riskLevels)[number]

/** An answer that an external agent offers to its own question, in its own words. */
export interface OfferedAnswer {
  /** What the agent is told. */
  readonly id: string
  readonly name: string
  /** Whether the call is allowed by it: `approve` can choose it, and else `reject`. */
  readonly allows: boolean
  /** True when the agent remembers it itself, so that it may ask no more. */
  readonly remembered: boolean
}

/** One gated tool call, exactly as it will run when it is approved. */
export interface ActionRequest {
  readonly callId: ToolCallId
  readonly name: string
  readonly args: JsonObject
  /** One sentence for the card: what the call does and why a person is asked. */
  readonly description: string
  /** The rule or policy that asked. */
  readonly rule: string
  readonly risk: RiskLevel
  /** Why the risk is what it is, such as `sandboxed and offline`. Absent in older journals. */
  readonly riskReason?: string | undefined
  /** False when no allow rule could answer the question, so that *Always allow* would promise too much. */
  readonly allowable?: false | undefined
  /** The hook that gave the call these arguments, and those that the model had sent. Absent for the model's own. */
  readonly changed?: { readonly by: string; readonly given: JsonObject } | undefined
  /** For a command: files that earlier calls of the same reply change before it runs. Absent for none. */
  readonly changedBefore?: readonly VirtualPath[] | undefined
  /** For a command: changed files that it names or takes its steps from, such as `package.json`. Absent for none. */
  readonly scripts?: readonly VirtualPath[] | undefined
  /** For a command: what the project's setup had made when the question was raised. Absent without a setup. */
  readonly environment?: string | undefined
  /** What the call did when it ran in the sandbox. Absent for a call that asks before it runs. */
  readonly effects?: CallEffects | undefined
  /** For a call of an external agent: the answers that it offers. Absent for a call of ours, and without any. */
  readonly answers?: readonly OfferedAnswer[] | undefined
}

export interface ReviewConfig {
  readonly callId: ToolCallId
  readonly action_name: string
  readonly allowed_decisions: readonly DecisionType[]
}

/**
 * What waits for a person: all gated calls of one model turn, or the calls whose end a crash left unknown, in the
 * model's order. Scripts read these field names (`coppice run --json`).
 */
export interface Interrupt {
  readonly id: InterruptId
  readonly threadId: ThreadId
  readonly agent: string
  readonly action_requests: readonly ActionRequest[]
  readonly review_configs: readonly ReviewConfig[]
}

/** An address that a person lets one command reach: `name` or `name:port`. No argument of a call can set it. */
export interface NetworkGrant {
  readonly hosts?: readonly string[] | undefined
}

/** The hosts of the addresses in a command, each once: `x.org` or `x.org:22`. */
export function namedHosts(command: string): readonly string[] {
  const found = [...command.matchAll(/\b(?:https?|git|ssh):\/\/(?:[^\s/@'"]*@)?([\w.-]+(?::\d+)?)/g)]
  return [...new Set(found.flatMap(([, host]) => (host && grantableHost.test(host) ? [host] : [])))]
}

/** A person's words to the agent, shown with the call's result. */
interface WithMessage {
  readonly message?: string | undefined
}

/** For a call that was tried: the changed files that are kept; those of a rename stay together. Absent for all of them. */
interface KeptPaths {
  readonly paths?: readonly VirtualPath[] | undefined
}

/** The id of the offered answer that the agent is told. Absent: the first one that says this once. */
interface ChosenAnswer {
  readonly answer?: string | undefined
}

/** For an edit: true when the edited call is tried and shown again. Absent when it runs and counts. */
interface ShownAgain {
  readonly hold?: boolean | undefined
}

/** The modes in which an approved plan can be carried out. */
export const workModes = ['ask', 'auto-edit', 'auto'] as const
export type WorkMode = (typeof workModes)[number]

/** For a plan: the mode of the thread from now on. Absent for the mode that it has. */
interface GoesOnIn {
  readonly mode?: WorkMode | undefined
}

export type Decision =
  | ({ readonly callId: ToolCallId; readonly type: 'approve' } & NetworkGrant &
      WithMessage &
      KeptPaths &
      ChosenAnswer &
      GoesOnIn)
  | ({ readonly callId: ToolCallId; readonly type: 'edit'; readonly args: JsonObject } & NetworkGrant &
      WithMessage &
      ShownAgain &
      GoesOnIn)
  | ({ readonly callId: ToolCallId; readonly type: 'reject' } & WithMessage & ChosenAnswer)
  | { readonly callId: ToolCallId; readonly type: 'respond'; readonly message: string }
  | { readonly callId: ToolCallId; readonly type: 'run_again' | 'mark_done' | 'skip' }
