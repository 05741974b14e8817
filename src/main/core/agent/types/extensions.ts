import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Instructions, Skill } from '../../prompts/appendices.ts'
import type { Tool } from '../../tools/tool.ts'
import { type AgentDefinition, generalPurpose } from './agent-definition.ts'

/** What a person, and a project once it is trusted, adds to the agents. */
export interface Extensions {
  readonly instructions: readonly Instructions[]
  readonly skills: readonly Skill[]
  /** `general-purpose` first. */
  readonly agents: readonly AgentDefinition[]
  /** Tools of connected servers. */
  readonly tools: readonly Tool[]
}

export const noExtensions: Extensions = { instructions: [], skills: [], agents: [generalPurpose], tools: [] }

export interface ExtensionSource {
  /** As last loaded. */
  current(): Extensions
  /** Reads again what may have changed; what cannot be read is left out and reported where people see it. */
  refresh(): Promise<Extensions>
  /** Instructions of the folders a path lies in, the root's left out, outermost first. */
  instructionsAt(path: VirtualPath): Promise<readonly Instructions[]>
}
