import { type Notice, textOf, type UserMessage } from '../message.ts'

/** What a message of Coppice itself is about. Null for a message of others, and for a notice of no special kind. */
export function noticeIn(message: Pick<UserMessage, 'origin' | 'content' | 'notice'>): Notice | null {
  if (message.origin !== 'notice') return null
  return message.notice ?? noticeOfOlder(textOf(message.content))
}

/** How the notices of versions up to 0.9.0 begin, which said their kind in words alone. */
const beginnings: readonly (readonly [start: string, kind: Exclude<Notice['kind'], 'goal' | 'files' | 'overlap'>])[] = [
  ['Your answer does not fit the schema: ', 'answer_misfit'],
  ['You have used all replies of this run, so you can call no more tools.', 'last_reply'],
  ['You have new replies and can call tools again.', 'new_replies'],
  ['Your last reply had neither text nor a call of a tool', 'empty_reply'],
  ['The user changed the todo list. It is now:', 'todos'],
]

function noticeOfOlder(text: string): Notice | null {
  if (text.startsWith('You stopped, but the work is not done')) {
    const named = text.matchAll(/^## (.+) \((?:red|flaky)[^()]*\)$/gm)
    return { kind: 'goal', checks: [...named].map(([, name = '']) => name) }
  }
  const kind = beginnings.find(([start]) => text.startsWith(start))?.[1]
  return kind ? { kind } : null
}
