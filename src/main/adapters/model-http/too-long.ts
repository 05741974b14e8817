/** What of a request is longer than its server takes. */
export interface TooLong {
  /** `both`: input and reply do not fit together. */
  readonly what: 'input' | 'output' | 'both'
  /** Tokens that the server takes of it; null when it does not say. */
  readonly limit: number | null
  /** Tokens of the input as the server counted them; null when it does not say. */
  readonly input: number | null
}

const inputWords = /\b(inputs?|prompts?|messages?|context|conversation|history)\b/i
const outputWords =
  /\b(max_(completion_|output_|new_)?tokens|maximum tokens (you|value)|(output|completion|generated|new) tokens|completion|output length)\b/i
/** The window stands beside a limit of the reply as what the reply is smaller than. */
const window = /context[_ ]window/gi
const lengthWords =
  /\btokens?\b|\bconversation\b|_tokens\b|\btoken_|\bcontext\b|\bprompt\b|\binput\b|\blength\b|\bwindow\b/i
const tooMuch =
  /too (long|large|many|big|high)|exceed|(longer|larger|greater|more|bigger) than|over the|at most|\bmaximum\b|\bmax\b|\blimit\b|reduce|shorten|(less|lower|smaller) than|<=|>|does(n't| not) fit|should be \[/i
/** Lengths of something else, and limits of another kind. */
const other =
  /\bimages?\b|pixel|\b[mkg]b\b|byte|\bpdf\b|string too long|string should|\bitems?\b|\barray\b|per (second|minute|hour|day|month)|\b[tr]p[mdh]\b|quota|billing|credit|budget_tokens|at least|greater than or equal|tool_?(use|call)s?[^a-z]*id\b|\.name\b|temperature|top_[pk]/i

/**
 * What a refusal says is too long, by the shape of its words: something about length, that it is too much, and the
 * numbers. Null for words about anything else. Makers have no common code for this, and new words with every version.
 */
export function readTooLong(said: string): TooLong | null {
  if (!tooMuch.test(said) || !lengthWords.test(said) || other.test(said)) return null
  const text = said.replace(/(?<![\w-])(\d{1,3})([,_ ]\d{3})+(?!\d)/g, (number) => number.replace(/\D/g, ''))
  const isOutput = outputWords.test(text)
  const isInput = inputWords.test(text.replace(isOutput ? window : /$^/, ''))
  const what = isOutput ? (isInput ? 'both' : 'output') : 'input'
  return { what, limit: firstNumber(text, limits), input: what === 'output' ? null : firstNumber(text, inputs) }
}

const number = String.raw`(?<![\w.-])(\d{3,9})\b`

/** Where the limit stands, the surest places first. */
const limits: readonly RegExp[] = [
  String.raw`>\s*${number}`,
  String.raw`(?:<=|\[\s*\d+\s*,)\s*${number}`,
  String.raw`(?:\bmaximum\b|\bmax\b|\blimit\b|at most|exceeds?\b|equal to|(?:less|lower|longer|more|larger|greater) than|up to|\bsize\b|\bwindow\b)[^0-9]{0,60}?${number}`,
  String.raw`${number}[\s(]*(?:tokens?[\s)]*)?(?:maximum|max\b|limit|context)`,
].map((pattern) => new RegExp(pattern, 'i'))

const inputs: readonly RegExp[] = [
  String.raw`${number}\s*\+\s*\d+\s*>`,
  String.raw`${number}[\s\`]*(?:tokens? )?(?:in |from |of )?(?:the |your )?[\`]?(?:inputs?|prompt|messages?)\b`,
  `(?:input|prompt)[^0-9.]{0,30}?${number}`,
].map((pattern) => new RegExp(pattern, 'i'))

function firstNumber(text: string, places: readonly RegExp[]): number | null {
  const found = places.map((place) => place.exec(text)?.[1]).find((one) => one !== undefined)
  return found === undefined ? null : Number(found)
}
