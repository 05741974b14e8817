import type { BranchStatus, ChangeKind, Conflict, FileChange, MergeResult, MergeStatus } from '../model/branch.ts'
import type { BranchId, Handle, MessageId, ProjectId, Sequence, ThreadId } from '../model/ids.ts'
import type { Snippet } from '../model/searched-text.ts'
import type { DeadRule, McpTransport, PermissionRules } from '../model/settings.ts'
import type { VirtualPath } from '../model/virtual-path.ts'

export interface AppInfo {
  readonly version: string
  readonly shell: 'desktop' | 'web'
  readonly platform: 'darwin' | 'win32' | 'linux' | 'other'
  /** The folder given on the command line, opened at once when present. */
  readonly initialFolder: string | null
  readonly homeFolder: string
  readonly canPickFolder: boolean
  readonly provider: ProviderInfo
  readonly sandbox: SandboxInfo
  readonly recent: readonly RecentProject[]
}

/** Whether commands are kept from the rest of the machine; unless it is `on`, every command asks. */
export interface SandboxInfo {
  readonly state: 'on' | 'partial' | 'off'
  readonly reason: string
}

export interface ProviderInfo {
  readonly model: string
  readonly baseUrl: string | null
  /** Where the key comes from; the key itself never reaches the renderer. */
  readonly keySource: 'environment' | 'stored' | 'memory' | null
  readonly models: readonly ModelChoice[]
}

export type McpServerState =
  | { readonly kind: 'untrusted' | 'idle' | 'connecting' | 'ready' }
  | { readonly kind: 'failed'; readonly reason: string }

/** A server of the Model Context Protocol, with exactly what would be started or asked. */
export interface McpServerView {
  readonly name: string
  readonly source: 'project' | 'user'
  readonly hash: string
  readonly transport: McpTransport
  readonly trusted: boolean
  readonly state: McpServerState
  readonly tools: readonly {
    readonly name: string
    readonly description: string
    /** What its schema costs in every request, estimated. */
    readonly tokens: number
    /** How it differs from what was approved; null when it does not. */
    readonly change: string | null
  }[]
  /** The last of what its process wrote to standard error. */
  readonly errorOutput: string
}

/** An agent or a skill somebody defined; keys this version does nothing with are named. */
export interface FoundExtension {
  readonly name: string
  readonly description: string
  readonly source: string
  /** What naming it costs in every request, estimated. */
  readonly tokens: number
  readonly unknownKeys: readonly string[]
  readonly mode?: 'handoff' | 'tool'
  readonly tools?: readonly string[] | null
  readonly model?: string | null
}

export interface ExtensionList {
  readonly agents: readonly FoundExtension[]
  readonly skills: readonly FoundExtension[]
  /** What the project's own settings narrow, by key. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly problems: readonly { readonly file: string; readonly line: number | null; readonly message: string }[]
}

export interface McpList {
  readonly servers: readonly McpServerView[]
  readonly problems: readonly string[]
}

/** Tokens are estimates of a quarter of the characters. */
export interface ContextPart {
  readonly part: 'guidance' | 'instructions' | 'skills' | 'memory' | 'tools' | 'messages' | 'results'
  readonly tokens: number
}

/** What the model of a thread is sent next. */
export interface ContextView {
  readonly parts: readonly ContextPart[]
  /** Tokens the provider counted for the last request and its reply; null where it has not yet. */
  readonly counted: number | null
  readonly contextWindow: number
  /** The request as JSON, images left out. */
  readonly request: string
}

export interface ModelChoice {
  readonly id: string
  readonly name: string
  /** Tokens. */
  readonly contextWindow: number
}

export interface RecentProject {
  readonly path: string
  readonly name: string
  /** Milliseconds since the Unix epoch. */
  readonly openedAt: number
}

export interface ProjectInfo {
  readonly id: ProjectId
  readonly path: string
  readonly name: string
  readonly kind: 'folder' | 'demo' | 'scratch'
  readonly git: boolean
  readonly trusted: boolean
  /** What trusting the folder would load, as paths below it. */
  readonly wouldLoad: readonly string[]
  /** Its database was damaged when it was opened, and a new one was begun. */
  readonly damage: ProjectDamage | null
}

export interface ProjectDamage {
  /** Where the damaged file is now. */
  readonly keptAs: string
  /** When the last backup was made, in milliseconds since the Unix epoch; null where there is none. */
  readonly backupAt: number | null
}

export interface FolderEntry {
  readonly name: string
  readonly path: string
}

/** A page of the host's folders, for the folder picker of the web shell. */
export interface FolderPage {
  readonly path: string
  readonly parent: string | null
  readonly folders: readonly FolderEntry[]
}

export interface FileEntry {
  readonly name: string
  readonly path: VirtualPath
  readonly kind: 'file' | 'directory' | 'symlink'
  readonly size: number
  readonly modified: number
  readonly change: ChangeKind | null
  /** For folders: something below is changed. */
  readonly changedBelow: boolean
}

export interface FilePage {
  readonly entries: readonly FileEntry[]
  readonly unreadable: number
}

export type FileContent =
  | { readonly kind: 'text'; readonly text: string; readonly size: number; readonly truncated: boolean }
  | { readonly kind: 'image'; readonly mediaType: string; readonly base64: string; readonly size: number }
  | { readonly kind: 'binary'; readonly size: number }
  | { readonly kind: 'absent' }

export interface DiffHunk {
  readonly oldStart: number
  readonly oldLines: number
  readonly newStart: number
  readonly newLines: number
  /** Each with its first character ' ', '+', '-' or '\\' as in a unified diff; very long ones are cut. */
  readonly lines: readonly string[]
}
export interface FileDiff {
  readonly path: VirtualPath
  readonly change: FileChange
  readonly hunks: readonly DiffHunk[]
  /** Only the beginning is here: all of it is too large to show. */
  readonly truncated: boolean
  /** Names exactly what is shown, to choose hunks of it; null when they cannot be chosen one by one. */
  readonly shown: string | null
}

/** What a waiting call would do if it ran now, found by running it on a branch that is thrown away. */
export type CallPreviewView =
  /** It cannot be known without running it for real: its arguments are all there is to show. */
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
  readonly status: MergeStatus
}
/** What a branch changed since it was forked; files without lines, as binary ones, count as files only. */
export interface BranchLines {
  readonly files: number
  readonly added: number
  readonly removed: number
}

export interface BranchReview {
  readonly branchId: BranchId
  readonly handle: Handle | null
  readonly status: BranchStatus
  /** No path of its diff differs from the parent. */
  readonly closed: boolean
  readonly files: readonly BranchFile[]
}

export interface ConflictSides {
  readonly path: VirtualPath
  readonly conflict: Conflict | null
  readonly base: string | null
  readonly ours: string | null
  readonly theirs: string | null
}

export interface BatchMerge {
  /** The merges that were made, in their order; each can be undone by `branches.undo`, the last one first. */
  readonly sequences: readonly Sequence[]
  /** Branches that have conflicts and were left as they are. */
  readonly left: readonly Handle[]
}

export interface MergeReceipt {
  readonly result: MergeResult
  /** What *Undo* takes back; null when nothing was merged. */
  readonly sequence: Sequence | null
}

/** A memory that was written: how `memory.restore` takes it back, or null where somebody else wrote it too. */
export interface RememberedSince {
  readonly name: string
  readonly undo: { readonly to: Sequence | null; readonly latest: Sequence } | null
}

/** What going from a folder to the memory, or back, would do. */
export interface MemoryTransfer {
  readonly files: readonly TransferRow[]
  /** Names exactly this plan. */
  readonly shown: string
}
export interface TransferRow {
  readonly name: string
  /** `changed`: something else of that name is there and would be replaced. */
  readonly state: 'new' | 'changed' | 'same' | 'refused'
  readonly why: string | null
}

export interface MessageSearch {
  readonly hits: readonly MessageHit[]
  readonly more: boolean
}
export interface MessageHit {
  readonly sequence: Sequence
  readonly threadId: ThreadId
  readonly at: number
  readonly messageId: MessageId
  readonly role: 'user' | 'assistant'
  readonly snippet: Snippet
}

/** What a rewind would do, before it is done. */
export interface RewindPreview {
  /** Branches whose files would change, with their changes from now to then. */
  readonly branches: readonly {
    readonly branchId: BranchId
    /** Null for the workspace. */
    readonly agent: string | null
    readonly changes: readonly FileChange[]
  }[]
  readonly messages: { readonly leaving: number; readonly returning: number }
  /** Approvals that wait now and would no more. */
  readonly approvals: number
  /** Subagents, by name, that were started since, and those that an earlier rewind took away. */
  readonly leaving: readonly string[]
  readonly returning: readonly string[]
  /** Memories that the family wrote since. They stay, unless a person takes them back one by one. */
  readonly memories: readonly RememberedSince[]
  /** Files that were applied to disk since. The folder keeps them. */
  readonly applied: readonly VirtualPath[]
  /** An agent works and would be stopped. */
  readonly running: boolean
}

export interface PatchExport {
  /** Git patch as binary-safe base64: patches carry any bytes. */
  readonly base64: string
  readonly text: string
  readonly files: number
  readonly leftOut: readonly { readonly path: VirtualPath; readonly why: string }[]
  readonly verifiedBy: readonly ('git' | 'reader')[]
}

export interface ApplyPlan {
  readonly files: readonly ApplyTarget[]
}
export interface ApplyTarget {
  readonly path: VirtualPath
  readonly kind: ChangeKind
  /** `changed`: the disk differs from the pinned base. `refused`: became a link, a folder or a special file. */
  readonly state: 'ready' | 'changed' | 'refused'
  readonly why: string | null
}
export interface ApplyReceipt {
  readonly sequence: Sequence
  readonly written: readonly VirtualPath[]
  readonly deleted: readonly VirtualPath[]
}

export const storageKinds = ['journal', 'contents', 'views', 'backups', 'damaged'] as const
export type StorageKind = (typeof storageKinds)[number]

export interface StoragePart {
  readonly kind: StorageKind
  readonly bytes: number
  /** Bytes that *Clean up* can free at most. */
  readonly removable: number
}

/** What the open project keeps on this machine. */
export interface StorageView {
  readonly folder: string
  readonly parts: readonly StoragePart[]
}

/** The settings file as it is written. */
export interface SettingsText {
  readonly file: string
  readonly text: string
}

/** One part of the machine, used once for real. */
export interface Examination {
  readonly name: string
  readonly state: 'ok' | 'optional' | 'broken'
  readonly detail: string
}

export interface SettingsView {
  readonly file: string
  readonly model: string
  readonly baseUrl: string | null
  readonly systemPrompt: string | null
  readonly maxIterations: number
  readonly maxSubagentDepth: number
  readonly approvalMode: 'plan' | 'ask' | 'auto-edit' | 'auto'
  readonly quarantine: 'strict' | 'scoped' | 'off'
  readonly keySource: ProviderInfo['keySource']
  /** What a stored key would be protected by; `plain` needs consent. */
  readonly keyStorage: 'system' | 'plain' | 'none'
  readonly rules: PermissionRules
  /** The file the rules are in. */
  readonly rulesFile: string
  readonly deadRules: readonly DeadRule[]
  readonly problems: readonly string[]
}

/** Rules that would let a call like the one at hand run, the narrowest proposal first; `note` says why it would ask even so. */
export interface RuleProposals {
  readonly proposals: readonly (readonly string[])[]
  readonly note: string | null
}

/** How many of the calls so far, of the tools they are about, rules would have allowed. */
export interface RulePreview {
  readonly matched: number
  readonly of: number
  readonly examples: readonly string[]
}

export interface ConnectionTest {
  readonly ok: boolean
  readonly message: string
  readonly models: readonly ModelChoice[]
}

export type TerminalEvent =
  | { readonly type: 'output'; readonly text: string }
  /** The last one. `changed` are the paths that were changed in the view of a branch: to be kept or dropped. */
  | { readonly type: 'ended'; readonly changed: readonly string[] }
