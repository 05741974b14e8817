import { type Message, textOf, type UserMessage } from '#shared/model/message.ts'
import { filesNamedIn } from '#shared/model/messages/mentions.ts'
import { parseVirtualPath } from '#shared/model/virtual-path.ts'
import { tailOf } from '#shared/text/whole-characters.ts'
import type { PromptPart } from '../../ports/programs/external-agent.ts'
import { blocks, blocksEnd } from '../../prompts/block.ts'
import type { CallWorkspace } from '../calls/call-context.ts'
import type { LoopContext } from '../types/loop-context.ts'
import type { ExternalSession } from './external-sessions.ts'

/** The most files of one message that the agent is pointed to. */
const mostFiles = 20

/**
 * What an external agent is told: the messages, and for a conversation that it does not remember, what was said before. A
 * command must come first, so then that comes behind it.
 */
export async function promptOf(
  context: Pick<LoopContext, 'thread' | 'nextId'>,
  session: Pick<ExternalSession, 'remembers' | 'connection' | 'folder'>,
  said: readonly UserMessage[],
  files: Pick<CallWorkspace['files'], 'stat'>,
): Promise<readonly PromptPart[]> {
  const { messages } = context.thread()
  const before = session.remembers ? [] : messages.slice(0, messages.length - said.length)
  const word = context.nextId()
  const history = historyOf(before, word)
  const parts: PromptPart[] = []
  for (const message of said) {
    const named: PromptPart[] = []
    for (const part of message.content) {
      if (part.type === 'text') {
        named.push(...(await filesIn(part.text, session.folder, files)))
        parts.push({ type: 'text', text: part.text })
      } else if (session.connection.info.takesImages)
        parts.push({ type: 'image', mediaType: part.mediaType, data: part.data })
      else parts.push({ type: 'text', text: '[An image, which this agent cannot see.]' })
    }
    // Before the text, so that what a person says stays the last thing that the agent reads. A command must come first.
    parts.splice(parts.length - (isCommand(message) ? 0 : message.content.length), 0, ...named)
  }
  if (history === '') return parts
  const isFirst = said[0] !== undefined && isCommand(said[0])
  const told: PromptPart = { type: 'text', text: beforeText(history, word, isFirst ? 'above' : 'below') }
  return isFirst ? [...parts, told] : [told, ...parts]
}

function isCommand(message: UserMessage): boolean {
  return textOf(message.content).startsWith('/')
}

/** Links to the files of the branch that a text names with `@`. A word that names none stays a word. */
async function filesIn(
  text: string,
  folder: string,
  files: Pick<CallWorkspace['files'], 'stat'>,
): Promise<readonly PromptPart[]> {
  const links: PromptPart[] = []
  for (const word of filesNamedIn(text).slice(0, mostFiles)) {
    const path = parseVirtualPath(`/${word.replace(/^\/+/, '')}`)
    const entry = path.ok ? await files.stat(path.value).catch(() => undefined) : undefined
    if (path.ok && entry?.kind === 'file') links.push({ type: 'file', path: `${folder}${path.value}`, name: word })
  }
  return links
}

const mostHistory = 40_000

const speakers = { person: 'user', parent: 'task', notice: 'notice' } as const

/** The latest messages, each as a block, so that no text can begin or end one. Nobody who wrote one knows `word`. */
function historyOf(messages: readonly Message[], word: string): string {
  const told: string[] = []
  let left = mostHistory
  for (const message of messages.toReversed()) {
    const text = textOf(message.content).trim()
    if (text === '') continue
    if (left <= 0) break
    const name = message.role === 'user' ? speakers[message.origin] : 'you'
    told.unshift(blocks({ [name]: tailOf(text, left) }, word))
    left -= text.length
  }
  return told.join('\n\n')
}

function beforeText(history: string, word: string, where: 'above' | 'below'): string {
  return `This conversation began before you joined it. What was said so far, by the user, by you and in notices. ${blocksEnd(word)}\n\n${history}\n\nThe files are as they are now. Go on with the message ${where}.`
}
