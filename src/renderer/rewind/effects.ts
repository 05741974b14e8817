import type { RewindPreview } from '#shared/contract/views/branches.ts'
import { strings } from '../strings/strings.ts'
import type { RewindScope } from './use-rewind-actions.ts'

const labels = strings.rewind

/** Says what a rewind would do and what it would leave alone, each in one sentence. */
export function effectsOf(preview: RewindPreview, scope: RewindScope): readonly string[] {
  const talk = scope === 'files' ? [labels.conversationStays] : conversationEffects(preview)
  const files = scope === 'conversation' ? [labels.filesStay] : []
  const family = scope === 'both' ? familyEffects(preview) : []
  const changes = [...talk, ...files, ...family]
  const nothing = scope === 'both' && changes.length === 0 && preview.branches.length === 0
  return [
    ...(preview.running ? [labels.running] : []),
    ...(nothing ? [labels.noChange] : changes),
    ...(preview.applied.length > 0 && scope !== 'conversation' ? [labels.applied(preview.applied)] : []),
  ]
}

function conversationEffects({ messages, approvals }: RewindPreview): readonly string[] {
  return [
    ...(messages.leaving > 0 ? [labels.messages(messages.leaving)] : []),
    ...(messages.returning > 0 ? [labels.messagesBack(messages.returning)] : []),
    ...(approvals > 0 ? [labels.approvals(approvals)] : []),
  ]
}

function familyEffects({ leaving, returning }: RewindPreview): readonly string[] {
  return [
    ...(leaving.length > 0 ? [labels.leaving(leaving.join(', '))] : []),
    ...(returning.length > 0 ? [labels.returning(returning.join(', '))] : []),
  ]
}
