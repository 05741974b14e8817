import { describe, expect, it } from 'vitest'
import { ModelError } from '#core/ports/model-client.ts'
import { createDialect } from '#core/ports/model-server.ts'
import { imagesPart, learnRefusal, partNamed, readUnknownField } from './refusals.ts'

const parts = {
  caching: partNamed(/cache_control/i),
  thinking: partNamed(/\bthinking\b|adaptive/i),
  effort: partNamed(/reasoning_effort|\beffort\b/i),
  format: partNamed(/response_format|json_schema/i),
  temperature: partNamed(/\btemperature\b/i),
  images: imagesPart,
  tool_choice: partNamed(/tool_choice/i),
  usage: partNamed(/stream_options/i),
  thoughts: partNamed(/reasoning_content/i),
  max_completion_tokens: partNamed(/max_completion_tokens/i),
}
type Part = keyof typeof parts
const all = new Set(Object.keys(parts) as Part[])

/** The parts that a refusal of a request with all of them teaches. */
function learned(said: string, code: ModelError['code'] = 'bad_request', field: string | null = null): string[] {
  const dialect = createDialect()
  learnRefusal(dialect, 'm', new ModelError(code, `Refused. ${said}`, null, said), { parts, sent: all, field })
  return [...dialect.refusedBy('m')]
}

describe('a refusal teaches', () => {
  it.each<readonly [Part, string]>([
    ['usage', 'json: unknown field "stream_options"'],
    ['usage', `Unknown name "stream_options": Cannot find field.`],
    ['effort', 'Unrecognized request argument supplied: reasoning_effort'],
    ['effort', 'This model does not support the effort parameter.'],
    ['effort', 'litellm.UnsupportedParamsError: x does not support parameters: ["reasoning_effort"], for model=y'],
    ['temperature', "Unsupported parameter: 'temperature' is not supported with this model."],
    ['temperature', '`temperature` is deprecated for this model.'],
    ['temperature', "Server.create() got an unexpected keyword argument 'temperature'"],
    ['thinking', 'adaptive thinking is not supported on this model'],
    [
      'thinking',
      "thinking: Input tag 'adaptive' found using 'type' does not match any of the expected tags: 'enabled'",
    ],
    ['thinking', 'body -> thinking\n  extra fields not permitted'],
    ['thinking', 'body.thinking: Extra inputs are not permitted; body.top_k: must be between 1 and 40'],
    ['thinking', "Additional properties are not allowed ('thinking' was unexpected)"],
    ['thoughts', "the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]"],
    ['caching', 'messages.0.content.0.cache_control: Extra inputs are not permitted'],
    ['images', 'This model does not support image input.'],
    ['images', 'No endpoints found that support image input'],
    ['images', 'At most 0 image(s) may be provided in one request.'],
    ['images', 'messages[0]: unknown variant `image_url`, expected `text`'],
  ])('%s by the words "%s"', (part, said) => {
    expect(learned(said)).toEqual([part])
    expect(learned(said, 'server')).toEqual([part])
  })

  it.each([
    "You uploaded an unsupported image. Please make sure your image has one of the formats 'png', 'jpeg', 'gif', 'webp'.",
    'Image format image/tiff not supported',
    'media_type: image/bmp is not supported',
    "Invalid schema for response_format 'answer': In context=(), 'additionalProperties' is required",
    'Thinking may not be enabled when tool_choice forces tool use.',
    '`temperature` may only be set to 1 when thinking is enabled.',
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    "Unsupported value: 'reasoning_effort' does not support 'high' with this model. Supported values are: 'low'.",
    "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
    'messages.1.content.0: Invalid `signature` in `thinking` block',
    'max_completion_tokens is too large: 32000. This model supports at most 16384 completion tokens.',
    'temperature: must be between 0 and 1',
    'The server failed while thinking.',
    "Unsupported parameter value: 'temperature' must be 1.",
    "tool_choice: Unexpected input. It must be one of 'auto', 'any'.",
    'Unexpected input: temperature is too high',
  ])('nothing by the words "%s"', (said) => {
    expect(learned(said)).toEqual([])
    expect(learned(said, 'server')).toEqual([])
  })

  it('the field that it names apart from its words, and no other', () => {
    const error = { code: 'unsupported_parameter', param: 'reasoning.effort' }
    const said = 'Not with this model, of which thinking is not supported.'
    expect(learned(said, 'bad_request', readUnknownField(error))).toEqual(['effort'])
    expect(readUnknownField({ ...error, code: 'unsupported_value' })).toBeNull()
    expect(readUnknownField({ code: 'unknown_parameter', param: null })).toBeNull()
  })
})
