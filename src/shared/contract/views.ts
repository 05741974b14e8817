import type { BranchStatus, ChangeKind, Conflict, FileChange, MergeResult, MergeStatus } from '../model/branch.ts'
import type { BranchId, Handle, MessageId, ProjectId, Sequence, ThreadId } from '../model/ids.ts'
import type { Snippet } from '../model/searched-text.ts'
import type { DeadRule, McpTransport, PermissionRules } from '../model/settings.ts'
import type { VirtualPath } from '../model/virtual-path.ts'

export interface AppInfo {
  readonly version: string
  /** A host without a window says `web`. */
  readonly shell: 'desktop' | 'web'
  /** The system of the host, which the browser may not share. */
  readonly platform: 'darwin' | 'win32' | 'linux' | 'other'
  /** The folder given on the command line, opened at once when present. */
  readonly initialFolder: string | null
  /** Absolute path on the host. */
  readonly homeFolder: string
  /** False where the host has no folder dialog; `app.folders` lists folders then. */
  readonly canPickFolder: boolean
  readonly provider: ProviderInfo
  /** Fixed when the host starts. */
  readonly sandbox: SandboxInfo
  /** Most recently opened first. */
  readonly recent: readonly RecentProject[]
}

/** Whether commands are shut off from the rest of the machine. Unless it is `on`, every command asks. */
export interface SandboxInfo {
  /** `partial`: files are kept apart, the network is not. */
  readonly state: 'on' | 'partial' | 'off'
  /** A sentence or two for a person. */
  readonly reason: string
}

export interface ProviderInfo {
  /** Id of the model that a new thread takes by default. */
  readonly model: string
  /** Null for the provider's own address. */
  readonly baseUrl: string | null
  /** Where the key comes from; the key itself never reaches the renderer. */
  readonly keySource: 'environment' | 'stored' | 'memory' | null
  readonly models: readonly ModelChoice[]
}

export type McpServerState =
  | { readonly kind: 'untrusted' | 'idle' | 'connecting' | 'ready' }
  | { readonly kind: 'failed'; readonly reason: string }

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
  /** `idle` when it is trusted and not connected. */
  readonly state: McpServerState
  /** Empty until the server was connected. */
  readonly tools: readonly {
    readonly name: string
    readonly description: string
    /** Estimated tokens that its schema costs in every request. */
    readonly tokens: number
    /** How it differs from the approved tool; null when it does not. */
    readonly change: string | null
  }[]
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
  /** Absent for a skill. */
  readonly mode?: 'handoff' | 'tool'
  /** Null for all tools; absent for a skill. */
  readonly tools?: readonly string[] | null
  /** Null for the model of the parent; absent for a skill. */
  readonly model?: string | null
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

/** Tokens are estimated as a quarter of the characters. */
export interface ContextPart {
  /** `messages` are texts and calls, `results` the results of calls. */
  readonly part: 'guidance' | 'instructions' | 'skills' | 'memory' | 'tools' | 'messages' | 'results'
  readonly tokens: number
}

/** The next request to the model of a thread. */
export interface ContextView {
  /** A part without content may be absent. */
  readonly parts: readonly ContextPart[]
  /** Tokens that the provider counted for the last request and its reply; null before the first one. */
  readonly counted: number | null
  /** Tokens that the model can take in. */
  readonly contextWindow: number
  /** The request as indented JSON, without images; very long texts are cut. */
  readonly request: string
}

export interface ModelChoice {
  /** What settings and threads store. */
  readonly id: string
  /** For people; equal to the id when the provider gives no name. */
  readonly name: string
  /** Tokens. */
  readonly contextWindow: number
}

export interface RecentProject {
  /** Absolute path on the host. */
  readonly path: string
  readonly name: string
  /** Milliseconds since the Unix epoch. */
  readonly openedAt: number
}

export interface ProjectInfo {
  /** Stays the same when the folder is opened again. */
  readonly id: ProjectId
  /** Absolute path on the host; empty for a scratch project. */
  readonly path: string
  readonly name: string
  /** `scratch` has no folder on disk, so nothing can be applied. */
  readonly kind: 'folder' | 'demo' | 'scratch'
  /** True when the folder holds a git repository. */
  readonly git: boolean
  /** False keeps the project's own settings, agents and servers from being loaded. */
  readonly trusted: boolean
  /** The files that would load if the folder were trusted, as paths below it. */
  readonly wouldLoad: readonly string[]
  /** Set when its database was damaged on opening and a new one was started; null otherwise. */
  readonly damage: ProjectDamage | null
}

export interface ProjectDamage {
  /** Absolute path of the damaged file. */
  readonly keptAs: string
  /** Time of the last backup in milliseconds since the Unix epoch; null when there is none. */
  readonly backupAt: number | null
}

export interface FolderEntry {
  readonly name: string
  /** Absolute path on the host. */
  readonly path: string
}

/** A page of the host's folders, for the folder picker of the web shell. */
export interface FolderPage {
  /** Absolute path on the host. */
  readonly path: string
  /** Null at the root of a drive. */
  readonly parent: string | null
  /** Sorted by name; hidden folders are left out. */
  readonly folders: readonly FolderEntry[]
}

export interface FileEntry {
  readonly name: string
  readonly path: VirtualPath
  /** A link is not followed. */
  readonly kind: 'file' | 'directory' | 'symlink'
  /** Bytes; 0 for folders and links. */
  readonly size: number
  /** Milliseconds since the Unix epoch. */
  readonly modified: number
  /** Null when the branch did not change it. */
  readonly change: ChangeKind | null
  /** True for a folder when the branch changed something below it. */
  readonly changedBelow: boolean
}

export interface FilePage {
  /** Folders first, then by name. */
  readonly entries: readonly FileEntry[]
  /** How many entries could not be read and are left out. */
  readonly unreadable: number
}

export type FileContent =
  | { readonly kind: 'text'; readonly text: string; readonly size: number; readonly truncated: boolean }
  | { readonly kind: 'image'; readonly mediaType: string; readonly base64: string; readonly size: number }
  | { readonly kind: 'binary'; readonly size: number }
  | { readonly kind: 'absent' }

export interface DiffHunk {
  /** 1-based as in unified diffs; 0 for an empty side. */
  readonly oldStart: number
  readonly oldLines: number
  /** Like `oldStart`, in the file after. */
  readonly newStart: number
  readonly newLines: number
  /** Each with its first character ' ', '+', '-' or '\\' as in a unified diff; very long ones are cut. */
  readonly lines: readonly string[]
}
export interface FileDiff {
  /** The requested path; either path of a rename. */
  readonly path: VirtualPath
  /** The kind of change and its line counts. */
  readonly change: FileChange
  readonly hunks: readonly DiffHunk[]
  /** True when the diff is too large to show and only its beginning is here. */
  readonly truncated: boolean
  /** Fingerprint of these hunks, for commands that choose some of them. Null when hunks cannot be chosen one by one. */
  readonly fingerprint: string | null
}

/** The effect of a waiting call if it ran now. It is found by running the call on a branch that is thrown away. */
export type CallPreviewView =
  /** The effect cannot be known without running the call for real, so only its arguments can be shown. */
  | { readonly kind: 'arguments' }
  | {
      readonly kind: 'files'
      /** The first of the files it would change. */
      readonly files: readonly FileDiff[]
      /** How many more files it would change. */
      readonly more: number
      /** Why the call would fail and change nothing; null when it would work. */
      readonly problem: string | null
    }

export interface BranchFile extends FileChange {
  /** The result of merging this file now. */
  readonly status: MergeStatus
}
/** Size of a branch's changes since its fork. A binary file counts as a file and adds no lines. */
export interface BranchLines {
  /** A rename counts as one. */
  readonly files: number
  readonly added: number
  readonly removed: number
}

export interface BranchReview {
  readonly branchId: BranchId
  /** Null for the workspace. */
  readonly handle: Handle | null
  /** A discarded branch can still be reviewed. */
  readonly status: BranchStatus
  /** True when the branch has nothing that its parent lacks. */
  readonly closed: boolean
  /** Every file that differs from the fork point. */
  readonly files: readonly BranchFile[]
}

export interface ConflictSides {
  readonly path: VirtualPath
  /** Null when the sides do not conflict, and for a conflict with the disk. */
  readonly conflict: Conflict | null
  /** Text of the last common version; null when there is none or it is not text. */
  readonly base: string | null
  /** Text of the parent's version; null when it is absent or not text. */
  readonly ours: string | null
  /** Text of the branch's version, or the disk's; null when it is absent or not text. */
  readonly theirs: string | null
}

export interface BatchMerge {
  /** The entries of the merges, in order. `branches.undo` undoes them one by one, the last one first. */
  readonly sequences: readonly Sequence[]
  /** Branches with conflicts, which were left untouched. */
  readonly left: readonly Handle[]
}

export interface MergeReceipt {
  /** Names every path that was merged, skipped or in conflict. */
  readonly result: MergeResult
  /** The entry that *Undo* names; null when nothing was merged. */
  readonly sequence: Sequence | null
}

/** A memory that was written. `undo` has the arguments for `memory.restore`; null when somebody else wrote it too. */
export interface RememberedSince {
  /** Path of the memory below its place. */
  readonly name: string
  /** `to` is null when the memory did not exist before; `latest` is the version it has now. */
  readonly undo: { readonly to: Sequence | null; readonly latest: Sequence } | null
}

/** The plan of a transfer from a folder to the memory, or back. */
export interface MemoryTransfer {
  /** Sorted by name. */
  readonly files: readonly TransferRow[]
  /** Fingerprint of this plan and of all contents. The transfer is refused when it no longer fits. */
  readonly fingerprint: string
}
export interface TransferRow {
  /** Path of the memory below its place. */
  readonly name: string
  /** `changed`: a different text with that name exists and would be replaced. */
  readonly state: 'new' | 'changed' | 'same' | 'refused'
  /** A sentence for a person; null unless it is `refused`. */
  readonly why: string | null
}

export interface MessageSearch {
  /** Latest first. */
  readonly hits: readonly MessageHit[]
  /** True when the search stopped before the last hit. */
  readonly more: boolean
}
export interface MessageHit {
  /** The entry that stores the message. */
  readonly sequence: Sequence
  /** A root thread or a subagent's. */
  readonly threadId: ThreadId
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  readonly messageId: MessageId
  readonly role: 'user' | 'assistant'
  /** One line around the first match. */
  readonly snippet: Snippet
}

/** The effects of a rewind, computed before it happens. */
export interface RewindPreview {
  /** Branches whose files would change. `changes` lead from now to then. */
  readonly branches: readonly {
    readonly branchId: BranchId
    /** Null for the workspace. */
    readonly agent: string | null
    readonly changes: readonly FileChange[]
  }[]
  /** How many messages would leave the conversation, and how many would come back. */
  readonly messages: { readonly leaving: number; readonly returning: number }
  /** Number of waiting approvals that would disappear. */
  readonly approvals: number
  /** Subagents, by name, that were started since and would disappear. */
  readonly leaving: readonly string[]
  /** Subagents, by name, that an earlier rewind took away and that would come back. */
  readonly returning: readonly string[]
  /** Memories that the family wrote since. They stay, unless a person reverts them one by one. */
  readonly memories: readonly RememberedSince[]
  /** Files that were applied to disk since. The folder keeps them. */
  readonly applied: readonly VirtualPath[]
  /** True when an agent is working now and would be stopped. */
  readonly running: boolean
}

export interface PatchExport {
  /** The git patch in base64, because a patch may hold any bytes. */
  readonly base64: string
  /** For reading: bytes that are not UTF-8 are replaced. */
  readonly text: string
  /** How many files the patch changes; 0 for an empty patch. */
  readonly files: number
  /** Changes that a patch cannot carry, with a sentence for a person. */
  readonly leftOut: readonly { readonly path: VirtualPath; readonly why: string }[]
  /** `reader` is the app's own; `git` is missing where git is not installed. Empty for an empty patch. */
  readonly verifiedBy: readonly ('git' | 'reader')[]
}

export interface ApplyPlan {
  /** One row for each changed path. */
  readonly files: readonly ApplyTarget[]
}
export interface ApplyTarget {
  readonly path: VirtualPath
  readonly kind: ChangeKind
  /** `changed`: the disk differs from the pinned base. `refused`: now a link, a folder or a special file. */
  readonly state: 'ready' | 'changed' | 'refused'
  /** A sentence for a person; null when it is `ready`. */
  readonly why: string | null
}
export interface ApplyReceipt {
  /** The entry that *Undo* names. */
  readonly sequence: Sequence
  readonly written: readonly VirtualPath[]
  readonly deleted: readonly VirtualPath[]
}

export const storageKinds = ['journal', 'contents', 'views', 'backups', 'damaged'] as const
export type StorageKind = (typeof storageKinds)[number]

export interface StoragePart {
  readonly kind: StorageKind
  /** On disk, compressed as they are stored. */
  readonly bytes: number
  /** The most bytes that *Clean up* can free. */
  readonly removable: number
}

/** The data that the open project keeps on this machine. */
export interface StorageView {
  /** Absolute path of the project's data, outside the project. */
  readonly folder: string
  /** One for each kind, in the order of `storageKinds`. */
  readonly parts: readonly StoragePart[]
}

/** The settings file, word for word. */
export interface SettingsText {
  /** Absolute path on the host. */
  readonly file: string
  /** Comments included. */
  readonly text: string
}

/** One part of the machine, after a real trial. */
export interface Examination {
  /** For people, such as `ripgrep`. */
  readonly name: string
  /** `optional`: the part is missing and the app works without it. */
  readonly state: 'ok' | 'optional' | 'broken'
  /** What was found, or the error and how to fix it. */
  readonly detail: string
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
  /** Levels of subagents below the main agent; 0 allows none. */
  readonly maxSubagentDepth: number
  readonly approvalMode: 'plan' | 'ask' | 'auto-edit' | 'auto'
  /** How much of the conversation a subagent sees. */
  readonly quarantine: 'strict' | 'scoped' | 'off'
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

export interface ConnectionTest {
  /** False for a refused key and when no answer came in time. */
  readonly ok: boolean
  readonly message: string
  /** Empty when the test failed. */
  readonly models: readonly ModelChoice[]
}

export type TerminalEvent =
  | { readonly type: 'output'; readonly text: string }
  /** Always the last event. `changed` are the paths changed in the mount of a branch, to be kept or dropped. */
  | { readonly type: 'ended'; readonly changed: readonly string[] }
