/** How the message begins that sends an agent back, because its goal is not reached. The window shows such messages folded. */
export const goalNoticeStart = 'You stopped, but the work is not done'

/** The names of the checks in such a message; empty when only its criteria were not met. Null for any other message. */
export function checksInGoalNotice(text: string): readonly string[] | null {
  if (!text.startsWith(goalNoticeStart)) return null
  return [...text.matchAll(/^## (.+) \((?:red|flaky)[^()]*\)$/gm)].map(([, name = '']) => name)
}
