import type { CheckDefinition } from '#shared/model/check.ts'
import { type Command, useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'

interface AcceptChecks {
  readonly command: Command
  /** Stores these checks for the open folder. An empty list declines what is proposed. */
  accept(checks: readonly Pick<CheckDefinition, 'name' | 'run' | 'required'>[]): Promise<void>
}

export function useAcceptChecks(onDone: () => void): AcceptChecks {
  const { checks: client } = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  return {
    command,
    accept: async (checks) => {
      const stored = checks.map(({ name, run, required }) => ({ name, run: run.trim(), required }))
      if (await command.run(() => client.accept({ projectId, checks: stored }))) onDone()
    },
  }
}
