import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { type KnownServerTools, noServerTools } from '../../approval/tool-names.ts'
import type { Instructions, Skill } from '../../prompts/appendices.ts'
import type { Tool } from '../../tools/tool.ts'
import { type AgentDefinition, generalPurpose } from './agent-definition.ts'

/** Additions to the agents by a person, or by a project once it is trusted. */
export interface Extensions {
  /** False while the person has not said that the folder may add anything. */
  readonly isTrusted: boolean
  /** Empty until the project is trusted. */
  readonly instructions: readonly Instructions[]
  /** Skills of the user, and of the project once it is trusted. */
  readonly skills: readonly Skill[]
  /** `general-purpose` first. */
  readonly agents: readonly AgentDefinition[]
  /** Tools of the servers that are connected now. */
  readonly tools: readonly Tool[]
  /** Mistakes in definitions that would let something pass unasked, in sentences for a person. */
  readonly gateProblems: readonly string[]
  /** Definitions that are not used, and keys of others that are not, in sentences for a person. */
  readonly notes: readonly string[]
  /** The names that settings may use for tools of servers. */
  readonly serverTools: KnownServerTools
}

export const noExtensions: Extensions = {
  isTrusted: true,
  instructions: [],
  skills: [],
  agents: [generalPurpose],
  tools: [],
  gateProblems: [],
  notes: [],
  serverTools: noServerTools,
}

export interface ExtensionSource {
  /** The extensions as last loaded; never reads a file. */
  current(): Extensions
  /** Reads definitions and settings of the project again, without waiting for servers. */
  reload(): Promise<Extensions>
  /** Reloads what may have changed, and connects servers. Files that cannot be read are left out and reported to the person. */
  refresh(): Promise<Extensions>
  /** Instructions of the folders above a path, outermost first, without those of the root. */
  instructionsAt(path: VirtualPath): Promise<readonly Instructions[]>
}
