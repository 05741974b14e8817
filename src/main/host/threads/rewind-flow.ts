import { unwrap } from '#core/commands/command.ts'
import {
  type Checkpoint,
  findCheckpoint,
  type RewindCommand,
  rewindProblem,
  rewindThread,
} from '#core/commands/rewind.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { Sequence } from '#shared/model/ids.ts'
import { readMessageNotes } from '#shared/model/messages/message-notes.ts'
import { tellAgain } from '../inputs/tell-again.ts'
import type { Project } from '../project/project.ts'

/** Stops all runs in the thread's family, then rewinds the thread. */
export async function haltAndRewind(
  { services, runtime, change }: Project,
  command: RewindCommand,
): Promise<{ readonly sequence: Sequence }> {
  const problem = rewindProblem(services.log, command)
  if (problem) unwrap(problem)
  await runtime.halt(command.threadId)
  return change(rewindThread(services, command))
}

/** Rewinds to before a person's message and sends it again with a new text and its old images. */
export async function editMessage(
  project: Project,
  { text, files, ...checkpoint }: Checkpoint & { readonly text: string; readonly files: boolean },
): Promise<{ readonly sequence: Sequence }> {
  const { mark } = unwrap(findCheckpoint(project.services.log, checkpoint))
  if (mark.kind !== 'message') throw new WireError('BAD_REQUEST', 'Only a message from a person can be sent again.')
  if (text.trim() === '') throw new WireError('BAD_REQUEST', 'The message is empty. Type what the agent should do.')
  const typed = readMessageNotes(text).text
  const told = await tellAgain(project, checkpoint.threadId, { before: text, text: typed })
  const { notes, command } = told
  const before = mark.message.content.filter((part) => part.type === 'image')
  const images = [...before, ...told.images.filter(({ data }) => before.every((image) => image.data !== data))]
  const rewound = await haltAndRewind(project, { ...checkpoint, files, conversation: true, undoes: null })
  project.runtime.send(checkpoint.threadId, [...images, { type: 'text', text: `${typed}${notes}` }], 'queue', {
    step: false,
    command,
  })
  return rewound
}
