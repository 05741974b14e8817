import { describe, expect, it } from 'vitest'
import { LayeredMap } from '#shared/base/layered-map.ts'
import type { ModelChoice } from '#shared/contract/views/app.ts'
import type { Call } from '#shared/model/calls/call.ts'
import type { MessageId, ToolCallId } from '#shared/model/ids.ts'
import type { AssistantMessage, AssistantPart, UserMessage } from '#shared/model/message.ts'
import type { ModelAbilities } from '#shared/model/models/model-facts.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { describeSwitch } from './switch-notes.ts'

const able: ModelAbilities = {
  ...{ tools: true, images: true, thinking: 'adaptive', efforts: [], caching: true, temperature: true, schemas: true },
}
const model = (can: Partial<ModelAbilities> = {}, contextWindow = 200_000): ModelChoice => ({
  ...{ id: 'gate/m2', name: 'M2', contextWindow, can: { ...able, ...can } },
})
const image = { type: 'image', mediaType: 'image/png', data: '' } as const
const asked: UserMessage = {
  ...{ role: 'user', messageId: 'u' as MessageId, origin: 'person', content: [{ type: 'text', text: 'Look' }, image] },
}
const said = (model: string | undefined, ...content: AssistantPart[]): AssistantMessage => ({
  ...{ role: 'assistant', messageId: 'a' as MessageId, stopReason: 'end_turn', model, content },
})
const thought: AssistantPart = { type: 'thinking', text: 'Hm.', signature: 's' }
const words: AssistantPart = { type: 'text', text: 'Done.' }
const thread = (...messages: ThreadState['messages']) => ({
  ...{ messages, calls: LayeredMap.empty<ToolCallId, Call>(), contextTokens: null as number | null },
})

describe('what goes missing with another model', () => {
  it('is nothing before the conversation begins', () => expect(describeSwitch(thread(), model())).toBe(''))

  it('is nothing where the new model can do everything', () => {
    expect(describeSwitch(thread(asked, said('claude', words)), model())).toBe('The conversation goes on as it is.')
  })

  it('are the thoughts of another model, not its own, and not those of unknown origin', () => {
    const lost = 'Its thoughts so far are left out.'
    expect(describeSwitch(thread(asked, said('claude', thought, words)), model())).toBe(lost)
    expect(describeSwitch(thread(said('claude', { type: 'redacted_thinking', data: '' })), model())).toBe(lost)
    expect(describeSwitch(thread(asked, said('gate/m2', thought)), model())).not.toBe(lost)
    expect(describeSwitch(thread(asked, said(undefined, thought)), model())).not.toBe(lost)
  })

  it('are images in messages and in results, for a model that sees none', () => {
    const calls = LayeredMap.empty<ToolCallId, Call>().with(
      'c' as ToolCallId,
      {
        state: { kind: 'finished', result: { outcome: 'ok', content: [image] } },
      } as unknown as Call,
    )
    const blind = model({ images: false })
    expect(describeSwitch({ ...thread(asked, said('claude', thought)), calls }, blind)).toBe(
      'Its thoughts so far are left out; 2 images are not seen by this model.',
    )
    expect(describeSwitch(thread(asked), blind)).toBe('1 image is not seen by this model.')
  })

  it('is what does not fit into the window, and every tool for a model without them', () => {
    const long = { ...thread(asked), contextTokens: 84_000 }
    expect(describeSwitch(long, model({}, 32_000))).toBe(
      'The 84K tokens so far do not fit into 32K and are summarised first.',
    )
    expect(describeSwitch(thread(asked), model({ tools: false }))).toBe('It calls no tools, so it can only talk.')
  })

  it('says nothing about abilities that are not known', () => {
    const { can: _, ...unknown } = model()
    expect(describeSwitch(thread(asked), unknown)).toBe('The conversation goes on as it is.')
  })
})
