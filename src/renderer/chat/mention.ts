/** An `@` mention that is being typed: where it starts and what was typed after the sign. */
export interface Mention {
  readonly start: number
  readonly query: string
}

/** The mention the caret is in; `user@example.com` is none, because a mention starts a word. */
export function mentionAt(text: string, caret: number): Mention | null {
  const before = text.slice(0, caret)
  const match = /(^|[\s([{"'])@([^\s@]*)$/.exec(before)
  if (!match) return null
  const query = match[2] ?? ''
  return { start: caret - query.length - 1, query }
}

/** The text with the mention completed, and where the caret goes. */
export function completeMention(text: string, mention: Mention, path: string): { text: string; caret: number } {
  const inserted = `@${path.replace(/^\//, '')} `
  const end = mention.start + 1 + mention.query.length
  return { text: text.slice(0, mention.start) + inserted + text.slice(end), caret: mention.start + inserted.length }
}

export type ComposerAction = 'send' | 'steer' | 'stop' | 'none'

export interface ComposerKey {
  readonly key: string
  readonly shiftKey: boolean
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly isComposing: boolean
}

/** Enter sends or queues, Mod+Enter steers a running agent, Esc stops it, Shift+Enter is a new line. */
export function composerAction(press: ComposerKey, running: boolean): ComposerAction {
  if (press.isComposing) return 'none'
  if (press.key === 'Escape') return running ? 'stop' : 'none'
  if (press.key !== 'Enter' || press.shiftKey) return 'none'
  return running && (press.ctrlKey || press.metaKey) ? 'steer' : 'send'
}
