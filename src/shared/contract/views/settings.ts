import type { CommandApproval, DeadRule, PermissionRules } from '../../model/settings.ts'
import type { ProviderInfo } from './app.ts'

/** The settings file, word for word. */
export interface SettingsText {
  /** Absolute path on the host. */
  readonly file: string
  /** Comments included. */
  readonly text: string
}

/** What a budget holds for: a run with its subagents, a thread's whole life, a batch, or each subagent. */
export const budgetScopes = ['run', 'thread', 'batch', 'subagent'] as const
export type BudgetScope = (typeof budgetScopes)[number]

/** Who is told that an agent needs the person, or that a thread has ended: a program of theirs or an address. */
export type NotifyTarget =
  | { readonly kind: 'command'; readonly command: readonly string[] }
  | { readonly kind: 'url'; readonly url: string }

/** What the person lets Coppice do outside of projects and models. No project has a say in it. */
export interface Outward {
  /** Whether agents may read pages of the web. Each host asks, unless a rule allows it. */
  readonly fetchesPages: boolean
  /** Hosts of private networks that agents may read pages of. */
  readonly privateHosts: readonly string[]
  /** Whether the computer stays awake while agents work. */
  readonly keepAwake: boolean
  /** Null for nobody. */
  readonly notify: NotifyTarget | null
}

/** The end of a message that was sent to see whether it gets through. */
export interface NotifyTest {
  readonly ok: boolean
  /** A sentence for the person. */
  readonly message: string
}

export interface SettingsView {
  /** Absolute path of the settings file on the host. */
  readonly file: string
  /** Id of the model that a new thread takes by default. */
  readonly model: string
  /** Null for the provider's own address. */
  readonly baseUrl: string | null
  /** Null for the built-in one. */
  readonly systemPrompt: string | null
  /** Model replies in one run. */
  readonly maxIterations: number
  /** Gigabytes that the environments of each project may take on disk. */
  readonly environmentsMaxGb: number
  /** Levels of subagents below the main agent; 0 allows none. */
  readonly maxSubagentDepth: number
  /** US dollars that each may cost; null without a limit. The file may hold other limits as well. */
  readonly budgets: Readonly<Record<BudgetScope, number | null>>
  /** What holds where the settings name no budget. */
  readonly usualBudgets: Readonly<Record<BudgetScope, number | null>>
  readonly approvalMode: 'plan' | 'ask' | 'auto-edit' | 'auto'
  /** When commands in the sandbox are approved; null for as the mode says. */
  readonly commandApproval: CommandApproval | null
  /** How much of the conversation a subagent sees. */
  readonly quarantine: 'strict' | 'scoped' | 'off'
  readonly outward: Outward
  /** The host that spans of what agents do are sent to, and whether texts go along. Null for nowhere. */
  readonly spans: { readonly host: string; readonly content: boolean } | null
  /** Null when there is no key. */
  readonly keySource: ProviderInfo['keySource']
  /** The protection that a stored key would have. `plain` needs consent. */
  readonly keyStorage: 'system' | 'plain' | 'none'
  /** In the order of the file, including invalid ones. */
  readonly rules: PermissionRules
  /** Absolute path of the file that holds the rules. */
  readonly rulesFile: string
  /** Rules that can never decide, each with the reason. */
  readonly deadRules: readonly DeadRule[]
  /** Sentences for a person: parts of the file that were not understood and are ignored. */
  readonly problems: readonly string[]
}

/** Rules that would let calls like this one run, the narrowest proposal first. `note` says why it would still ask. */
export interface RuleProposals {
  /** Each proposal is a list of rules to add together. */
  readonly proposals: readonly (readonly string[])[]
  /** Null when a rule would stop such calls from asking. */
  readonly note: string | null
}

/** How many past calls some rules would have allowed. */
export interface RulePreview {
  readonly matched: number
  readonly of: number
  /** At most 20 of the matched calls, each text once. */
  readonly examples: readonly string[]
}
