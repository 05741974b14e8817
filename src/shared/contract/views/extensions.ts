import type { Effort } from '../../model/models/model-facts.ts'
import type { McpTransport } from '../../model/settings.ts'

export type McpServerState =
  | { readonly kind: 'untrusted' | 'idle' | 'connecting' | 'ready' }
  | { readonly kind: 'failed'; readonly reason: string }
  /** A person has to log in, again or for the first time. */
  | { readonly kind: 'login'; readonly reason: string }

/** A resource that a message can name as `@server:uri`. */
export interface McpResourceView {
  readonly server: string
  /** Of a template: what every address of it begins with. */
  readonly uri: string
  readonly name: string
  readonly description: string
}

/** A server of the Model Context Protocol, with the exact command or address that would be used. */
export interface McpServerView {
  /** The key of its definition in the settings. */
  readonly name: string
  /** Who defined it: the project's files or the user's settings. */
  readonly source: 'project' | 'user'
  /** Hash of this exact definition. A person trusts the hash. */
  readonly hash: string
  /** The command or the address, with secrets as they are written in the file. */
  readonly transport: McpTransport
  /** True when a person trusted exactly this definition. */
  readonly trusted: boolean
  readonly login: {
    /** The page at which a login waits for the person; null when none does. */
    readonly address: string | null
    /** The login that requests carry; null for none. Its name is null where nobody says whose it is. */
    readonly account: { readonly issuer: string; readonly name: string | null } | null
  }
  /** `idle` when it is trusted and not connected. */
  readonly state: McpServerState
  /** Empty until the server was connected. */
  readonly tools: readonly {
    readonly name: string
    readonly description: string
    /** Estimated tokens that it costs in each request that shows it. */
    readonly tokens: number
    /** How it differs from the approved tool; null when it does not. */
    readonly change: string | null
    /** The rule that denies all its calls, so that no agent is offered it; null for none. */
    readonly deniedBy: string | null
  }[]
  /** A sentence for each tool of its list that cannot be offered, and for what else its answers lack. */
  readonly leftOut: readonly string[]
  /** The end of its standard error, of limited length; empty for a server that is not a process here. */
  readonly errorOutput: string
}

/** An agent or a skill that a user or a project defined. `unknownKeys` names the keys that this version ignores. */
export interface FoundExtension {
  /** Unique among extensions of its kind. */
  readonly name: string
  /** The agent reads it to decide when to use the extension. */
  readonly description: string
  /** The file that defines it, for people. */
  readonly source: string
  /** Estimated tokens that naming it costs in every request. */
  readonly tokens: number
  /** Empty when every key is understood. */
  readonly unknownKeys: readonly string[]
  /** What a skill needs to work, in its author's words. Absent for nothing. */
  readonly compatibility?: string
  /** Absent for a skill. */
  readonly mode?: 'handoff' | 'tool'
  /** True for an agent whose answers must fit a JSON Schema. */
  readonly answersInJson?: boolean
  /** Null for all tools; absent for a skill. */
  readonly tools?: readonly string[] | null
  /** Null for the model of the parent; absent for a skill. */
  readonly model?: string | null
}

/** Something that a person asks for with a word after a slash at the beginning of a message. */
export interface SlashView {
  /** `agent`: a command of an external agent, which gets the message as it is. */
  readonly kind: 'command' | 'skill' | 'prompt' | 'agent'
  /** The word without its slash. */
  readonly word: string
  readonly description: string
  /** What may follow the word, such as `[file]`; empty for nothing in particular. */
  readonly hint: string
  /** The file that defines it, or who else does; for people. */
  readonly source: string
  /** Rules for the calls that it is about: all others that change something ask. Null for no limit. */
  readonly allowedTools: readonly string[] | null
  /** As written. Null for the thread's own. */
  readonly model: string | null
  /** Null for the thread's own. */
  readonly effort: Effort | null
}

export interface SlashList {
  readonly entries: readonly SlashView[]
  /** Commands that are not used, or not as they are written; `line` is 1-based, null when no line can be named. */
  readonly problems: readonly { readonly file: string; readonly line: number | null; readonly message: string }[]
}

/** What a message would tell the agent in addition to the person's words. */
export interface SlashPreview extends SlashView {
  /** The text with the person's words filled in; for a skill, the path that the agent reads. */
  readonly text: string
  /** What is not as the definition says, in sentences. */
  readonly warnings: readonly string[]
}

export interface ExtensionList {
  /** Without the built-in type. */
  readonly agents: readonly FoundExtension[]
  readonly skills: readonly FoundExtension[]
  /** The values that the project's own settings narrow, by key. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Definitions that were left out; `line` is 1-based, null when no line can be named. */
  readonly problems: readonly { readonly file: string; readonly line: number | null; readonly message: string }[]
}

export interface McpList {
  /** Trusted or not, connected or not. */
  readonly servers: readonly McpServerView[]
  /** One sentence for each definition that was left out. */
  readonly problems: readonly string[]
}

/** An external agent that Coppice knows, and the definition that it proposes. */
export interface KnownAgent {
  readonly name: string
  readonly title: string
  readonly command: string
  readonly hosts: readonly string[]
  /** Files and folders of the home in which its login is, such as `~/.codex`. */
  readonly home: readonly string[]
  /** Absolute path of its program; null where it is not installed. */
  readonly program: string | null
  /** A command to copy. */
  readonly install: string
  /** True when the settings define an agent of this name. */
  readonly isDefined: boolean
}

/** What a file in the format of the public registry of agents would define. */
export interface RegistryView {
  readonly agents: readonly KnownAgent[]
  /** What was left out, as sentences. */
  readonly problems: readonly string[]
}

/** What an external agent said when it was tried. */
export interface AgentTrial {
  readonly name: string
  /** Empty when it does not say. */
  readonly version: string
  readonly protocolVersion: number
  /**
   * How to log in, in the agent's words, with a command line for the person's own shell where it is done in one. Empty for an
   * agent that does not say. Null when it would work now.
   */
  readonly logins: readonly { readonly text: string; readonly command: string | null }[] | null
}
