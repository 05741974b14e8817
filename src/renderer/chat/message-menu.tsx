import { Ellipsis } from 'lucide-react'
import type { ReactNode } from 'react'
import { checkpointBefore } from '#shared/model/checkpoints.ts'
import type { Sequence } from '#shared/model/ids.ts'
import { textOf, type UserMessage } from '#shared/model/message.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { useClient, useCommand, useProjectId, useSession } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { showRewind, showThread } from '../state/view.ts'
import { IconButton } from '../ui/button.tsx'
import { Menu, type MenuChoice } from '../ui/menu.tsx'

const labels = strings.rewind

export interface MessageMenuProps {
  readonly thread: ThreadState
  readonly message: UserMessage
  readonly onEdit: () => void
}

/** What can be done from the state before a message of the person. */
export function MessageMenu({ thread, message, onEdit }: MessageMenuProps): ReactNode {
  const session = useSession()
  const client = useClient()
  const projectId = useProjectId()
  const command = useCommand()
  const before = (): Sequence | undefined =>
    checkpointBefore(session.store.getState().journal.past.threads.get(thread.id), message.messageId)
  const fork = (): Promise<boolean> =>
    command.run(async () => {
      const title = labels.forked(thread.title)
      const { threadId } = await client.rewind.fork({ projectId, threadId: thread.id, to: before() ?? 0, title })
      session.updateView((view) => showThread(view, threadId))
    })
  const choices: readonly MenuChoice[] = [
    {
      id: 'rewind',
      label: labels.toBefore,
      onSelect: () => session.updateView((view) => showRewind(view, before() ?? null)),
    },
    { id: 'edit', label: labels.edit, onSelect: onEdit },
    ...(thread.parent ? [] : [{ id: 'fork', label: labels.fork, onSelect: () => void fork() }]),
  ]
  const label = labels.actions(textOf(message.content).slice(0, 40))
  return (
    <>
      <Menu
        choices={choices}
        trigger={
          <IconButton label={label} className="ml-auto">
            <Ellipsis size={15} aria-hidden />
          </IconButton>
        }
      />
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
    </>
  )
}
