import { createOverlayTransaction, emptyTree } from '#overlay'
import { fileAccess } from '../../approval/file-policy.ts'
import { type AgentLogin, ExternalAgentError } from '../../ports/programs/external-agent.ts'
import { openTrial } from '../../trial/open-trial.ts'
import { policyOf } from '../runtime/agent-policy.ts'
import { type ExternalProgram, generalPurpose } from '../types/agent-definition.ts'
import type { ProjectServices } from '../types/services.ts'
import { startAgent } from './start-agent.ts'

/** What an external agent says of itself when it is tried. */
export interface TriedAgent {
  readonly name: string
  /** Empty when it does not say. */
  readonly version: string
  readonly protocolVersion: number
  /** How a person can log in; empty when it does not say. Null for an agent that would work now. */
  readonly logins: readonly AgentLogin[] | null
}

/**
 * Starts an agent in a view of the project as it is, and begins a conversation without a message. Nothing that it changes is
 * kept. Throws as `startAgent` does, and `BranchMountError`.
 */
export async function tryAgent(
  services: ProjectServices,
  { name: agent, program }: { readonly name: string; readonly program: ExternalProgram },
  owner: string,
  signal: AbortSignal,
): Promise<TriedAgent> {
  const access = fileAccess(policyOf(services, generalPurpose))
  const branch = createOverlayTransaction({ ...services, tree: emptyTree })
  await using trial = await openTrial(services, { owner, access, branch, environment: [], lifetime: 'once' }, signal)
  const started = await startAgent(services, program, trial.view, signal)
  try {
    const { info } = started.connection
    const { name, version, protocolVersion } = info
    const request = { folder: started.folder, folders: [], servers: [] }
    const logins = await started.connection.newSession(request, signal).then(
      (session) => {
        services.agentModels.keepOffered(agent, session.choices)
        return null
      },
      (error: unknown) => {
        if (error instanceof ExternalAgentError && error.code === 'login') return info.logins
        throw error
      },
    )
    return { name, version, protocolVersion, logins }
  } finally {
    started.connection.close()
    await started.stop()
  }
}
