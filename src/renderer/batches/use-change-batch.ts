import { type Command, useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import type { BatchKey } from '../state/store/ui-state.ts'

/** What may be different in a running batch, as `batches.change` takes it. */
interface Change {
  readonly concurrency?: number
  readonly cost?: number | null
  readonly add?: string[]
  readonly drop?: number[] | 'queued'
}

export interface ChangeBatch {
  readonly command: Command
  /** True when it was changed; otherwise the command has the refusal. */
  change(change: Change): Promise<boolean>
}

export function useChangeBatch({ threadId, callId }: BatchKey): ChangeBatch {
  const client = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  return {
    command,
    change: (change) => command.run(() => client.batches.change({ projectId, threadId, callId, ...change })),
  }
}
