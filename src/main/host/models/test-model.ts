import { ModelError, type ModelInfo, type ModelReply, type ModelRequest } from '#core/ports/model-client.ts'
import type { AbilityResult, ModelTest, ProfileModel } from '#shared/contract/views/models.ts'
import { textOf, toolCallsOf } from '#shared/model/message.ts'
import { formatNumber } from '#shared/text/format.ts'
import type { OpenProfile } from './open-profile.ts'

/** A red square of 32 by 32 pixels. */
const redSquare =
  'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAJ0lEQVR42u3NsQkAAAjAsP7/tF7hIASyp6lTCQQCgUAgEAgEgi/BAjLD/C5w/SM9AAAAAElFTkSuQmCC'

const sayHello: Pick<ModelRequest, 'system' | 'messages'> = {
  system: 'You help to test a connection. Answer in one short sentence.',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'image', mediaType: 'image/png', data: redSquare },
        { type: 'text', text: 'Which colour has the square? If you see no square, say hello instead.' },
      ],
    },
  ],
}

const callTool: Pick<ModelRequest, 'system' | 'messages' | 'tools'> = {
  system: 'You help to test a connection.',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Call the tool echo with the text "coppice".' }] }],
  tools: [
    {
      name: 'echo',
      description: 'Repeats a text.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    },
  ],
}

interface Asked {
  readonly reply: ModelReply
  /** Pieces of text and of thoughts that came before the whole reply. */
  readonly pieces: { readonly text: number; readonly thinking: number }
  readonly firstMs: number
}

/**
 * Asks a model for one short reply and for one tool call, and says what works. It tries everything that requests of
 * agents contain, so what the server refuses is known afterwards.
 */
export async function testModel(
  open: OpenProfile,
  id: string | null,
  listed: readonly ModelInfo[],
  { nameOf, signal }: { readonly nameOf: (id: string) => string; readonly signal: AbortSignal },
): Promise<ModelTest> {
  const models = listed.map((model): ProfileModel => ({ id: nameOf(model.id), name: model.name, refused: [] }))
  const empty = { model: id === null ? null : nameOf(id), abilities: [], firstMs: null, cost: null, models }
  if (id === null)
    return { ...empty, ok: false, message: 'The server lists no models. Name one of its models to test it.' }
  const facts = open.factsOf(id)
  const common = {
    ...{ model: id, maxTokens: 1_024, temperature: null, thinking: facts.can.thinking === 'none' ? null : true },
    effort: facts.can.efforts[0] ?? 'low',
  } as const
  try {
    const hello = await ask(open, { ...common, ...sayHello, tools: [] }, signal)
    const call = await askForCall(open, { ...common, ...callTool, maxTokens: 2_048 }, signal)
    const cost = call === null || hello.reply.usage.cost === null ? null : hello.reply.usage.cost + (call.cost ?? 0)
    return {
      ...empty,
      ok: true,
      message: `${facts.name} answers.`,
      abilities: abilitiesOf(open, id, hello, call),
      firstMs: hello.firstMs,
      cost,
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ModelError)) throw error
    return { ...empty, ok: false, message: error.message }
  }
}

async function ask({ client }: OpenProfile, request: ModelRequest, signal: AbortSignal): Promise<Asked> {
  const began = performance.now()
  const pieces = { text: 0, thinking: 0 }
  let firstMs: number | undefined
  for await (const event of client.stream(request, signal)) {
    firstMs ??= Math.round(performance.now() - began)
    if (event.type === 'reply') return { reply: event.reply, pieces, firstMs }
    pieces[event.type] += 1
  }
  throw new ModelError('cut', 'The model ended its answer before it was complete.')
}

interface ToolTry {
  readonly state: AbilityResult['state']
  readonly detail: string
  readonly cost: number | null
}

/** Null when the request failed for another reason than the tool. */
async function askForCall(open: OpenProfile, request: ModelRequest, signal: AbortSignal): Promise<ToolTry | null> {
  try {
    const { reply } = await ask(open, request, signal)
    const [call] = toolCallsOf(reply)
    const { cost } = reply.usage
    if (call?.name === 'echo' && call.input.text === 'coppice') return { state: 'works', detail: '', cost }
    if (call) return { state: 'unknown', detail: 'The call was not the one that was asked for.', cost }
    return { state: 'refused', detail: 'It answered in words. Agents need a model that calls tools.', cost }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ModelError)) throw error
    return error.code === 'bad_request' || error.code === 'not_found'
      ? { state: 'refused', detail: error.said || error.message, cost: null }
      : null
  }
}

function abilitiesOf(
  { dialect, factsOf }: OpenProfile,
  id: string,
  { reply, pieces }: Asked,
  call: ToolTry | null,
): readonly AbilityResult[] {
  const refused = dialect.refusedBy(id)
  const { can, context } = factsOf(id)
  const { cacheReadTokens, cacheWriteTokens } = reply.usage
  const saw = /\bred\b/i.test(textOf(reply.content))
  const thought = pieces.thinking > 0 || reply.content.some(({ type }) => type.endsWith('thinking'))
  const state = (part: string, isShown: boolean, isSent = true): AbilityResult['state'] =>
    refused.has(part) || !isSent ? 'refused' : isShown ? 'works' : 'unknown'
  return [
    { ability: 'reply', state: 'works', detail: '' },
    {
      ability: 'streaming',
      state: pieces.text + pieces.thinking > 1 ? 'works' : 'unknown',
      detail: pieces.text + pieces.thinking > 1 ? '' : 'The reply came in one piece.',
    },
    call
      ? { ability: 'tools', state: call.state, detail: call.detail }
      : { ability: 'tools', state: 'unknown', detail: 'The request for a call failed.' },
    {
      ability: 'images',
      state: state('images', saw, can.images),
      detail: saw || refused.has('images') || !can.images ? '' : 'It did not say what is in the picture.',
    },
    {
      ability: 'caching',
      state: state('caching', cacheReadTokens + cacheWriteTokens > 0, can.caching),
      detail: refused.has('caching') || !can.caching ? '' : 'Short requests are not cached.',
    },
    { ability: 'thinking', state: state('thinking', thought, can.thinking !== 'none' || thought), detail: '' },
    { ability: 'effort', state: state('effort', can.efforts.length > 0), detail: can.efforts.join(', ') },
    { ability: 'window', state: 'works', detail: `${formatNumber(context)} tokens` },
  ]
}
