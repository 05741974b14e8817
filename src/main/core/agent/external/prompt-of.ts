import { type Message, textOf, type UserMessage } from '#shared/model/message.ts'
import { filesNamedIn } from '#shared/model/messages/mentions.ts'
import { parseVirtualPath } from '#shared/model/virtual-path.ts'
import type { PromptPart } from '../../ports/programs/external-agent.ts'
import type { CallWorkspace } from '../calls/call-context.ts'
import type { LoopContext } from '../types/loop-context.ts'
import type { ExternalSession } from './external-sessions.ts'

/** The most files of one message that the agent is pointed to. */
const mostFiles = 20

/** What an external agent is told: the messages, and for a conversation that it does not remember, what was said before. */
export async function promptOf(
  context: Pick<LoopContext, 'thread'>,
  session: Pick<ExternalSession, 'remembers' | 'connection' | 'folder'>,
  said: readonly UserMessage[],
  files: Pick<CallWorkspace['files'], 'stat'>,
): Promise<readonly PromptPart[]> {
  const { messages } = context.thread()
  const before = session.remembers ? [] : messages.slice(0, messages.length - said.length)
  const history = historyOf([...before])
  const parts: PromptPart[] = history === '' ? [] : [{ type: 'text', text: history }]
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
    const isCommand = textOf(message.content).startsWith('/')
    parts.splice(parts.length - (isCommand ? 0 : message.content.length), 0, ...named)
  }
  return parts
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

function historyOf(messages: readonly Message[]): string {
  const lines = messages.flatMap((message) => {
    const text = textOf(message.content).trim()
    return text === '' ? [] : [`${message.role === 'user' ? 'User' : 'You'}: ${text}`]
  })
  if (lines.length === 0) return ''
  const whole = lines.join('\n\n')
  return `This conversation began before you joined it. What was said so far:\n\n${whole.slice(-mostHistory)}\n\nThe files are as they are now. Go on with the message below.`
}
