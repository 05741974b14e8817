import { defineError } from '#shared/base/define-error.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { McpResult, McpTool } from '../mcp-client.ts'
import type { Talk } from '../shell.ts'

/** What an external agent is told to do, in parts. Files are named by absolute paths, as the agent sees them. */
export type PromptPart =
  | { readonly type: 'text'; readonly text: string }
  /** Base64 without line breaks. */
  | { readonly type: 'image'; readonly mediaType: string; readonly data: string }
  | { readonly type: 'file'; readonly path: string; readonly name: string }

export const externalKinds = [
  ...(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode'] as const),
  'other',
] as const
export type ExternalKind = (typeof externalKinds)[number]

/** A call of the agent's own tool, as far as the agent has told it. */
export interface ExternalCall {
  /** Unique in its session, also when the agent uses an id of its own again. */
  readonly id: string
  readonly title: string
  readonly kind: ExternalKind
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed'
  /** Paths as the agent wrote them, usually absolute. The agent may say anything here. */
  readonly paths: readonly string[]
  /** What its own tool was given; empty when the agent does not tell. */
  readonly input: JsonObject
  /** What it printed or found, as text. */
  readonly output: string
}

/** An answer to a question for permission, as the agent offers it. */
export interface PermissionOption {
  readonly id: string
  readonly name: string
  readonly kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always'
}

export interface PlanStep {
  readonly content: string
  readonly status: 'pending' | 'in_progress' | 'completed'
}

/** A command that a person may begin a message with. */
export interface AgentCommand {
  readonly name: string
  readonly description: string
}

/**
 * What an agent offers to choose from: a way in which it works (what it asks before it does it), a model, and how long that
 * thinks.
 */
export type AgentChoiceKind = 'mode' | 'model' | 'effort'

/** One of what an agent offers. */
export interface AgentChoice {
  readonly id: string
  readonly name: string
}

export interface AgentChoices {
  /** The id of the one in use; empty while the agent does not say. */
  readonly current: string
  /** Empty where there is no choice. */
  readonly offered: readonly AgentChoice[]
}

/** How a turn of the agent ended. */
export type TurnEnd = 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' | 'cancelled'

export type AgentUpdate =
  | { readonly type: 'text' | 'thinking'; readonly text: string }
  /** All that is known of the call by now. */
  | { readonly type: 'call'; readonly call: ExternalCall }
  /** It waits for an answer: the id of an option, or null for none, as when the turn is stopped. */
  | {
      readonly type: 'permission'
      readonly call: ExternalCall
      readonly options: readonly PermissionOption[]
      readonly answer: (optionId: string | null) => void
      /** Aborts when the agent waits for no answer any more: it has ended, or took its question back. */
      readonly gone: AbortSignal
    }
  /** The whole plan; it replaces the one before. */
  | { readonly type: 'plan'; readonly steps: readonly PlanStep[] }
  /** Tokens of the conversation, the size of the window, and what the session has cost so far in US dollars; null for unknown. */
  | { readonly type: 'usage'; readonly used: number; readonly size: number; readonly cost: number | null }
  | { readonly type: 'notice'; readonly text: string }
  /** The last one of a turn. */
  | { readonly type: 'end'; readonly reason: TurnEnd }

/** One conversation with an agent. */
export interface AgentSession {
  /** The agent's own id, by which it may be loaded later. */
  readonly id: string
  /** Every call of the turn that the agent has told of by now, also those that nobody has taken from `prompt` yet. */
  calls(): readonly ExternalCall[]
  /** What the agent offers now. */
  choices(kind: AgentChoiceKind): AgentChoices
  /** Has the agent work with one of them. Throws `ExternalAgentError` when it refuses, and the abort reason. */
  choose(kind: AgentChoiceKind, id: string, signal: AbortSignal): Promise<void>
  /** The commands that the agent offers now. */
  commands(): readonly AgentCommand[]
  /**
   * Gives the agent a message and yields what it says until the turn ends. One turn at a time. Throws
   * `ExternalAgentError`.
   */
  prompt(parts: readonly PromptPart[]): AsyncIterable<AgentUpdate>
  /** Asks the agent to end its turn. Whatever it waits for is refused. */
  cancel(): void
  /** Resolves when the agent has ended its last turn, which may be long after that was cancelled. Never rejects. */
  whenIdle(): Promise<void>
}

/** A server of the Model Context Protocol that the agent is to start, in its own sandbox. */
export interface GivenServer {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
}

export interface SessionRequest {
  /** Absolute path of the project, as the agent sees it. */
  readonly folder: string
  /** The project's other folders, likewise. */
  readonly folders: readonly string[]
  readonly servers: readonly GivenServer[]
}

/** A way in which a person can log in. */
export interface AgentLogin {
  /** In the agent's words. */
  readonly text: string
  /** A command line for the person's own shell. Null for a way that needs no terminal. */
  readonly command: string | null
}

/** What an agent says of itself. */
export interface AgentInfo {
  readonly name: string
  /** Empty when it does not say. */
  readonly version: string
  readonly protocolVersion: number
  /** Whether a session of an earlier process can be gone on with. */
  readonly keepsSessions: boolean
  readonly takesImages: boolean
  readonly logins: readonly AgentLogin[]
}

export interface AgentConnection {
  readonly info: AgentInfo
  /** Throws `ExternalAgentError`, with `login` and how to log in when the person must do that first, and the abort reason. */
  newSession(request: SessionRequest, signal: AbortSignal): Promise<AgentSession>
  /** Goes on with a session. Null when the agent does not have it any more. Throws as `newSession` does. */
  resumeSession(id: string, request: SessionRequest, signal: AbortSignal): Promise<AgentSession | null>
  /** Lets go of everything. Whatever waits fails. */
  close(): void
}

/** The two ends of a program that speaks the protocol. */
export interface AgentStreams {
  /** The command line that started it. */
  readonly command: string
  /** Hears its standard output from now on. */
  listen(onBytes: (bytes: Uint8Array) => void): void
  write(text: string): void
  /** Resolves to the reason when it has ended, as a sentence. Never rejects. */
  readonly ended: Promise<string>
}

/** Speaks with agents that are programs of others, by the Agent Client Protocol. */
export interface ExternalAgents {
  /** Says hello and learns what the agent can do. Throws `ExternalAgentError`. */
  connect(streams: AgentStreams, signal: AbortSignal): Promise<AgentConnection>
}

/**
 * What external agents said of their models, kept over restarts, and of their commands, so that both can be named before a
 * session begins.
 * `model`: as a thread names it (`agentModel`). Only ever a shortcut: an agent says all of it again.
 */
export interface AgentModels {
  /** Keeps what a new conversation offers. `agent`: the name of its definition. */
  keepOffered(agent: string, choices: AgentSession['choices']): void
  /** Keeps the commands that it offers now, likewise. */
  keepCommands(agent: string, commands: readonly AgentCommand[]): void
  /** The commands that it offered last; empty for one that has offered none since the start of the app. */
  commandsOf(agent: string): readonly AgentCommand[]
  /** Keeps the size of a model's window, in tokens. */
  keepWindow(model: string, tokens: number): void
}

/** Tools of the app that a program of others may call. */
export interface ServedTools {
  /** When to use them, for the model of the program. */
  readonly instructions: string
  /** Asked once for each talk. */
  list(): readonly McpTool[]
  /** Aborts when nobody waits for the result any more. Never rejects. */
  call(name: string, args: JsonObject, signal: AbortSignal): Promise<McpResult>
}

/** Speaks the Model Context Protocol with external agents that call tools of the app. */
export interface ToolServer {
  /** Answers until the talk ends. */
  serve(talk: Talk, tools: ServedTools): void
}

/** `ended`: the program ended. `protocol`: it does not speak a version that is understood. */
export const ExternalAgentError = defineError<'ended' | 'protocol' | 'login' | 'failed'>('ExternalAgentError')
export type ExternalAgentError = InstanceType<typeof ExternalAgentError>
