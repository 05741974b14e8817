import type { EntryDraft } from '../entry.ts'

/**
 * True for entries that say nothing but that calls start which would start again, without a question, if these entries
 * were lost. A call with effects that no transaction can hold is none of them: whether it started must be known.
 */
export function areRepeatableStarts(drafts: readonly EntryDraft[]): boolean {
  return drafts.every((draft) => draft.type === 'tool.started' && !draft.outside && !draft.holds)
}
