import type { ThreadId } from '#shared/model/ids.ts'
import type { CommandUse, ImagePart } from '#shared/model/message.ts'
import { readMessageNotes } from '#shared/model/messages/message-notes.ts'
import type { Project } from '../project/project.ts'
import { readAsked } from './read-asked.ts'
import { readNamed } from './read-resources.ts'
import { storeInputs } from './store-inputs.ts'

/** What goes with a person's text that was rewritten. */
export interface ToldAgain {
  /** What follows the text for the agent. */
  readonly notes: string
  /** What its command says about its run. Undefined for nothing. */
  readonly command: CommandUse | undefined
  /** The images of the resources that it names. */
  readonly images: readonly ImagePart[]
}

/**
 * What goes with a person's text that was rewritten: the skill or the command that it asks for now, what the message had
 * before, and what it names with `@` now. `before` is the whole message as it was.
 */
export async function tellAgain(
  project: Project,
  threadId: ThreadId,
  { before, text }: { readonly before: string; readonly text: string },
): Promise<ToldAgain> {
  const { text: typed, asked: askedBefore } = readMessageNotes(before)
  const kept = before.slice(typed.length + askedBefore.length)
  const { model } = project.requireActive(threadId)
  const { note, inputs, command } = await readAsked(project, { threadId, model }, text)
  const named = await readNamed(project, threadId, text)
  const told = [...inputs, ...named.inputs].map((input) => storeInputs(project, threadId, [input]))
  const added = told.filter((one) => !kept.includes(one))
  return { notes: `${note}${kept}${added.join('')}`, command, images: named.images }
}
