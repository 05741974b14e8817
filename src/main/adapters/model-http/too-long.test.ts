import { describe, expect, it } from 'vitest'
import { readTooLong } from './too-long.ts'

describe('words that something is too long', () => {
  it.each<readonly [string, number | null]>([
    ['Input is too long for requested model.', null],
    ['The input token count (1176024) exceeds the maximum number of tokens allowed (1048576).', 1_048_576],
    ["This model's maximum prompt length is 131072 but the request contains 140000 tokens.", 131_072],
    ['Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)', 262_144],
    ['prompt is too long: 213420 tokens > 200000 maximum', 200_000],
    ['the request exceeds the available context size (8192 tokens), try increasing it', 8192],
    ['Prompt contains 140000 tokens, too large for model with 131,072 maximum context length', 131_072],
    ['too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292', 4081],
    ['This model’s maximum context length is 32 768 tokens. However, your messages resulted in 40000 tokens.', 32_768],
    ['context window exceeded', null],
    ['Your conversation is longer than the model can read', null],
    ['The number of tokens to keep from the initial prompt is greater than the context length', null],
    ['input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300312 tokens.', 272_000],
    ['Requested tokens (9000) exceed context window of 4096', 4096],
  ])('name the input: %s', (said, limit) => {
    expect(readTooLong(said)).toMatchObject({ what: 'input', limit })
  })

  it.each<readonly [string, number | null, number | null]>([
    [
      'input length and `max_tokens` exceed context limit: 187254 + 20000 > 204798, decrease input length or `max_tokens` and try again',
      204_798,
      187_254,
    ],
    [
      "This model's maximum context length is 8192 tokens. However, you requested 10000 tokens (9000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
      8192,
      9000,
    ],
    ['Please reduce the length of the messages or completion.', null, null],
    [
      'Please reduce the length of the messages or completion. Current length is 139000 while limit is 131072',
      131_072,
      null,
    ],
    [
      "'max_tokens' or 'max_completion_tokens' is too large: 20000. This model's maximum context length is 32768 tokens and your request has 15000 input tokens (20000 > 32768 - 15000).",
      32_768,
      15_000,
    ],
    [
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3900 `inputs` tokens and 1000 `max_new_tokens`',
      4096,
      3900,
    ],
    [
      "Requested token count exceeds the model's maximum context length of 131072 tokens. You requested a total of 140000 tokens: 120000 tokens from the input messages and 20000 tokens for the completion.",
      131_072,
      120_000,
    ],
  ])('name both: %s', (said, limit, input) => {
    expect(readTooLong(said)).toEqual({ what: 'both', limit, input })
  })

  it.each<readonly [string, number]>([
    [
      'max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku-20241022',
      8192,
    ],
    [
      'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
      16_384,
    ],
    [
      '`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model',
      8192,
    ],
    ['Range of max_tokens should be [1, 8192]', 8192],
    [
      'The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.',
      4096,
    ],
    ['max_completion_tokens: 32000 exceeds the limit of 16000', 16_000],
  ])('name the reply: %s', (said, limit) => {
    expect(readTooLong(said)).toMatchObject({ what: 'output', limit })
  })

  it.each([
    "Invalid 'messages[3].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got 53.",
    'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes',
    'tools: List should have at most 128 items after validation, not 200',
    'Request too large for model on tokens per minute (TPM): Limit 6000, Requested 10000',
    '`max_tokens` must be greater than `thinking.budget_tokens`',
    'max_tokens must be at least 1',
    'temperature: Input should be less than or equal to 1',
    'messages: roles must alternate between user and assistant',
    'Invalid schema for function: schema must be a JSON Schema of type object',
    'This model does not support tool_choice',
    'Your credit balance is too low',
  ])('are not these: %s', (said) => {
    expect(readTooLong(said)).toBeNull()
  })
})
