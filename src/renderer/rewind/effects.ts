import type { RewindPreview } from '#shared/contract/views.ts'
import { strings } from '../state/strings.ts'
import type { RewindScope } from './use-rewind-acts.ts'

const words = strings.rewind

/** What a rewind would do, and what it would leave alone, one sentence each. */
export function effectsOf(preview: RewindPreview, scope: RewindScope): readonly string[] {
  const talk = scope === 'files' ? [words.conversationStays] : conversationEffects(preview)
  const files = scope === 'conversation' ? [words.filesStay] : []
  const family = scope === 'both' ? familyEffects(preview) : []
  const changes = [...talk, ...files, ...family]
  const nothing = scope === 'both' && changes.length === 0 && preview.branches.length === 0
  return [
    ...(preview.running ? [words.running] : []),
    ...(nothing ? [words.noChange] : changes),
    ...(preview.applied.length > 0 && scope !== 'conversation' ? [words.applied(preview.applied.length)] : []),
  ]
}

function conversationEffects({ messages, approvals }: RewindPreview): readonly string[] {
  return [
    ...(messages.leaving > 0 ? [words.messages(messages.leaving)] : []),
    ...(messages.returning > 0 ? [words.messagesBack(messages.returning)] : []),
    ...(approvals > 0 ? [words.approvals(approvals)] : []),
  ]
}

function familyEffects({ leaving, returning }: RewindPreview): readonly string[] {
  return [
    ...(leaving.length > 0 ? [words.leaving(leaving.join(', '))] : []),
    ...(returning.length > 0 ? [words.returning(returning.join(', '))] : []),
  ]
}
