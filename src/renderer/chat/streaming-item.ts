import type { Streaming } from '../state/live.ts'
import { partKey } from './transcript.ts'

/** What an agent is saying, or thinking before it does. */
export type StreamingItem =
  | {
      readonly kind: 'writing'
      readonly key: string
      readonly text: string
      readonly at: undefined
      readonly continues: boolean
    }
  | { readonly kind: 'pondering'; readonly key: string; readonly thinking: string; readonly continues: boolean }

/** Under the key that the text will have in the conversation: what is drawn of it stays when the message is whole. */
export function streamingItem({ messageId, text, thinking }: Streaming, continues: boolean): StreamingItem {
  if (text.trim() === '') return { kind: 'pondering', key: `${messageId}-pondering`, thinking, continues }
  const place = thinking === '' ? 0 : 1
  return { kind: 'writing', key: partKey(messageId, place), text, at: undefined, continues }
}
