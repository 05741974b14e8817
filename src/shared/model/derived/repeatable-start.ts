import type { EntryDraft } from '../entry.ts'

/**
 * True for entries that say nothing but that something starts which would start again, without a question, if these
 * entries were lost: calls, or the subagents of a call.
 */
export function areRepeatableStarts(drafts: readonly EntryDraft[]): boolean {
  return drafts.every(isRepeatableCall) || (drafts[0]?.type === 'thread.created' && drafts.every(isOfFork))
}

/** Whether a call started that has effects which no transaction can hold must be known. */
function isRepeatableCall(draft: EntryDraft): boolean {
  return draft.type === 'tool.started' && !draft.outside && !draft.holds
}

/** A call that has no subagents yet forks them again. Nobody does that for a subagent that a person asked for. */
function isOfFork(draft: EntryDraft): boolean {
  if (draft.type === 'thread.created') return draft.parent !== null && draft.parent.resolves === undefined
  if (draft.type === 'message') return draft.message.role === 'user' && draft.message.origin === 'parent'
  return draft.type === 'branch.forked'
}
