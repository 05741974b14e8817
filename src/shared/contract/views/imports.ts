/** Other tools for agents, whose definitions can be taken over. */
export const importTools = ['claude', 'codex', 'cursor', 'opencode'] as const
export type ImportTool = (typeof importTools)[number]

/** What a definition of another tool becomes here. `instructions` are texts for every agent, `rule` denies or asks. */
export const importKinds = [
  ...(['agent', 'command', 'skill', 'instructions', 'rule', 'server', 'hook', 'memory'] as const),
] as const
export type ImportKind = (typeof importKinds)[number]

/**
 * How a found definition stands to what is here. `read_here`: Coppice reads it where it is, so nothing is copied.
 * `left_out`: it cannot be taken over truly; its notes say why.
 */
export type ImportState = 'new' | 'differs' | 'same' | 'read_here' | 'left_out'

/** One definition of another tool, and what it would become. */
export interface ImportItem {
  /** Names it within a list. */
  readonly id: string
  readonly tool: ImportTool
  readonly kind: ImportKind
  readonly name: string
  /** Whether the person's home or the open folder has it. */
  readonly scope: 'home' | 'folder'
  /** The file that defines it, for people. */
  readonly source: string
  /** Where it would be, for people. Empty when nothing would be written. */
  readonly target: string
  /** What would be written, as text. Empty when nothing would be. */
  readonly preview: string
  /** What is there now and would be replaced. Null for nothing. */
  readonly before: string | null
  readonly state: ImportState
  /** True for one that is chosen unless the person says otherwise: new, of their own home, taken over whole. */
  readonly safe: boolean
  /** What of it is left out or changes, in sentences. */
  readonly notes: readonly string[]
}

/** What is there to take over. */
export interface ImportList {
  readonly items: readonly ImportItem[]
  /** Files that could not be read, in sentences. */
  readonly problems: readonly string[]
  /** Whether the files of the open folder were looked at. */
  readonly folder: 'read' | 'untrusted' | 'none'
  /** Identifies exactly these items. */
  readonly fingerprint: string
  /** The latest import that can be undone. Null for none. */
  readonly undo: ImportReceipt | null
}

/** One import that was carried out. */
export interface ImportReceipt {
  readonly id: string
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  /** What was written, a line for each. */
  readonly written: readonly string[]
}

/** What an undo did. */
export interface ImportUndone {
  readonly restored: readonly string[]
  /** What stays because it was changed since, in sentences. */
  readonly kept: readonly string[]
}
