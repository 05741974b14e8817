import type { ModelRequest, RequestMessage } from '#core/ports/model-client.ts'
import { type ModelFacts, takesSampling } from '#shared/model/models/model-facts.ts'
import { partNames } from '#shared/model/models/part-names.ts'
import { plural } from '#shared/text/plural.ts'
import type { Profile } from './profiles.ts'

/** What of a request its model will not get, in sentences for a person. `model`: as messages name it. */
export function describeLeftOut(
  {
    messages,
    model,
    tools,
    topP = null,
    topK = null,
  }: Pick<ModelRequest, 'messages' | 'model' | 'tools' | 'topP' | 'topK'>,
  profile: Profile,
  { name, can }: ModelFacts,
  refused: ReadonlySet<string>,
): readonly string[] {
  const seesImages = can.images && !refused.has('images')
  const images = seesImages ? 0 : sum(messages.map(imagesIn))
  const foreign = sum(messages.map((message) => (isForeign(message, model) ? thoughtsIn(message, () => true) : 0)))
  const unsigned =
    profile.thoughts === 'signed'
      ? sum(
          messages.map((message) =>
            isForeign(message, model) ? 0 : thoughtsIn(message, (signature) => signature === ''),
          ),
        )
      : 0
  const parts = [...refused].map((part) => partNames[part] ?? part)
  return [
    ...said(foreign > 0, `${plural(foreign, 'thought', 'thoughts')} of other models: makers take back only their own.`),
    ...said(unsigned > 0, `${plural(unsigned, 'thought', 'thoughts')} without a signature.`),
    ...said(profile.thoughts === 'as_text', 'Thoughts go back as text of the reply.'),
    ...said(images > 0, `${plural(images, 'image', 'images')}: ${name} reads none and gets a sentence instead.`),
    ...said(topP !== null && !takesSampling(can, 'top_p'), `top_p: ${name} takes none.`),
    ...said(topK !== null && !takesSampling(can, 'top_k'), `top_k: ${name} takes none.`),
    ...said(!can.tools && tools.length > 0, `The tools: ${name} calls none.`),
    ...said(
      profile.kind === 'openai',
      'Cache marks and signatures of the Messages API: chat completions have no counterpart of them.',
    ),
    ...said(parts.length > 0, `What the server refused before: ${parts.join(', ')}.`),
  ]
}

function said(isSo: boolean, sentence: string): readonly string[] {
  return isSo ? [sentence] : []
}

function isForeign(message: RequestMessage, model: string): boolean {
  return message.role === 'assistant' && message.from !== undefined && message.from !== model
}

function thoughtsIn(message: RequestMessage, counts: (signature: string) => boolean): number {
  if (message.role !== 'assistant') return 0
  return message.content.filter((part) => part.type === 'thinking' && counts(part.signature)).length
}

function imagesIn(message: RequestMessage): number {
  if (message.role !== 'user') return 0
  return sum(
    message.content.map((part) => {
      if (part.type === 'image') return 1
      return part.type === 'tool_result' ? part.content.filter(({ type }) => type === 'image').length : 0
    }),
  )
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
