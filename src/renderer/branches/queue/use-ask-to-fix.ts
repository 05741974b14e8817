import type { Branch } from '#shared/model/branch.ts'
import type { CheckResult } from '#shared/model/check.ts'
import { type Command, useApp, useClient, useCommand, useProjectId } from '../../state/hooks/hooks.tsx'
import { checkDetails } from '../../strings/later/check-details.ts'
import { toastNote } from '../../ui/controls/toast.ts'

const labels = checkDetails.red
/** The most characters of each output that the agent gets, from its end. It can run the check itself for the rest. */
const outputSent = 8_000

interface AskToFix {
  readonly command: Command
  /** Sends the agent of the branch what failed. Resolves with whether it was sent. */
  ask(failed: readonly CheckResult[]): Promise<boolean>
}

/** Lets the agent of a branch mend what is red after the merge. */
export function useAskToFix({ threadId }: Branch, parent: string): AskToFix {
  const client = useClient()
  const projectId = useProjectId()
  const agent = useApp(({ project }) => project.threads.get(threadId)?.agent ?? '')
  const command = useCommand()
  return {
    command,
    ask: (failed) =>
      command.run(async () => {
        const outputs = failed.map(({ check, exitCode, output }) =>
          labels.failed(check, exitCode, output.slice(-outputSent)),
        )
        const text = labels.message(parent, outputs.join('\n\n'))
        await client.threads.send({ projectId, threadId, text, delivery: 'steer' })
        toastNote(labels.asked(agent))
      }),
  }
}
