import type { ProjectScripts, SetupDefinition, SetupProposal, SetupState } from '../../model/setup.ts'
import type { VirtualPath } from '../../model/virtual-path.ts'

/** The setup of a project, for a person who looks at it or decides about it. */
export interface SetupView {
  readonly state: SetupState
  /** Null when none is set. */
  readonly definition: SetupDefinition | null
  /** Who set it. Null when none is set. */
  readonly origin: 'settings' | 'project' | 'command_line' | null
  /** What the files of the project call for, the most sensible first. Empty when a setup is set. */
  readonly proposals: readonly SetupProposal[]
  /** What a trusted project keeps for other tools beside a setup, and the person did not decide about. */
  readonly scripts: Pick<ProjectScripts, 'archive' | 'variables' | 'leftOut'>
  /** What the person accepted of it. */
  readonly accepted: { readonly archive: string | null; readonly variables: ProjectScripts['variables'] }
  /** True when the person wants no proposal for this project. */
  readonly never: boolean
  /** Hosts that the project proposes for its setup and the person did not allow. */
  readonly setupHosts: readonly string[]
  /** Hosts that the project proposes for all commands and the person did not allow. */
  readonly commandHosts: readonly string[]
  /** Files that `.worktreeinclude` of a trusted project names and that agents and their commands do not see. */
  readonly includedFiles: readonly VirtualPath[]
  /** The hosts of each preset that is named here, by the person's own configuration. */
  readonly presets: Readonly<Record<string, readonly string[]>>
}
