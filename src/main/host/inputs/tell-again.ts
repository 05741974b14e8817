import type { ThreadId } from '#shared/model/ids.ts'
import { formatSkillNote, readMessageNotes, slashNameIn, slashNameOf } from '#shared/model/messages/message-notes.ts'
import type { Project } from '../project/project.ts'
import { readMentions } from './read-mentions.ts'
import { storeInputs } from './store-inputs.ts'

/** Tells the agent about the skill that a message begins with, such as `/review`. Empty when no skill has that name. */
export async function skillNoteFor({ extensions }: Project, text: string): Promise<string> {
  const asked = slashNameIn(text)
  if (asked === null) return ''
  const skill = (await extensions.reload()).skills.find(({ name }) => slashNameOf(name) === asked)
  return skill ? formatSkillNote(skill) : ''
}

/**
 * What follows a person's text that was rewritten: the skill that it asks for now, what the message had before, and
 * what it names with `@` now. `before` is the whole message as it was.
 */
export async function notesAgain(
  project: Project,
  threadId: ThreadId,
  { before, text }: { readonly before: string; readonly text: string },
): Promise<string> {
  const { text: typed, skill } = readMessageNotes(before)
  const kept = before.slice(typed.length + (skill ? formatSkillNote(skill).length : 0))
  const named = (await readMentions(project, threadId, text)).map((input) => storeInputs(project, threadId, [input]))
  const added = named.filter((note) => !kept.includes(note))
  return `${await skillNoteFor(project, text)}${kept}${added.join('')}`
}
