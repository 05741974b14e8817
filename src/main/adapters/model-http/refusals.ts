import type { ModelError } from '#core/ports/model-client.ts'
import type { Dialect } from '#core/ports/model-server.ts'

/** A part of a request that a server may refuse. */
export interface RefusablePart {
  /** How servers call the part. */
  readonly name: RegExp
  /** Whether these words say that the server does not know the part, and not that it dislikes what is in it. */
  isUnknownIn(words: string): boolean
}

/** Parts by their key. A narrow part comes before a wide one. */
export type RefusableParts<Part extends string> = Readonly<Record<Part, RefusablePart>>

const refusals = new Set<ModelError['code']>(['bad_request', 'not_found', 'server'])

/**
 * Learns from a refusal which of the parts that were sent the server does not take. True when there is one, so that a
 * request without it makes sense. `field`: the one that the refusal names apart from its words, as `readUnknownField`
 * finds it.
 */
export function learnRefusal<Part extends string>(
  dialect: Dialect,
  model: string,
  { code, message, said }: ModelError,
  asked: { readonly parts: RefusableParts<Part>; readonly sent: ReadonlySet<Part>; readonly field: string | null },
): boolean {
  // Some servers answer with 404 or 500 where a model cannot read images or call tools.
  if (!refusals.has(code) || (code !== 'bad_request' && said === '')) return false
  const refused = dialect.refusedBy(model)
  const words = said || message
  const isUnknown = ({ name, isUnknownIn }: RefusablePart): boolean =>
    asked.field === null ? isUnknownIn(words) : name.test(asked.field)
  const keys = Object.keys(asked.parts) as Part[]
  // One at a time: a narrow part stands before the wide one that holds it.
  const part = keys.find((key) => asked.sent.has(key) && !refused.has(key) && isUnknown(asked.parts[key]))
  if (part !== undefined) dialect.learn(model, part)
  return part !== undefined
}

/** Words about something that is unknown. What it is stands somewhere beside them. */
const unknownSomething =
  /\b(unknown|unrecogni[sz]ed|unexpected|unsupported) (request )?(body )?(keyword |input )?(arguments?|fields?|keys?|names?|parameters?|params?|options?|propert(y|ies)|inputs?)\b|extra (inputs?|fields?) (is|are)? ?(not (permitted|allowed)|forbidden)|additional properties are not allowed|does not match any of the expected tags/i

/** Words that a value is wrong. The part itself is known then, and another value of it may be taken. */
const wrongValue =
  /invalid schema|invalid signature|must be (one of|an?|set|equal|between|at (least|most)|in|less|greater|[\d`'"])|may only be|a maximum of|supported values|(unsupported|invalid|unexpected) value|too (large|long|many|high|low)/i

/** A part with this name, of which a server says in one of the usual ways that it does not know it. */
export function partNamed(name: RegExp): RefusablePart {
  const named = `[\`'"]?(?:${name.source})`
  const about = `(?:the |use of |using |parameters?:? |fields?:? )*\\[?${named}`
  const isNot =
    "(?:is|are)(?: currently)? ?(?:not|n't|un) ?(?:supported|allowed|permitted|available|enabled|recogni[sz]ed)"
  const unknownPart = new RegExp(
    [
      `\\b(?:unknown|unrecogni[sz]ed|unexpected|unsupported):? ${about}`,
      `(?:not|n't|no longer) (?:support|accept|allow|recogni[sz]e|know|take)s? ${about}`,
      `${named}[\`'"]?(?: parameters?| fields?| options?| blocks?| mode)?:? (?:${isNot}|(?:is|are) (?:unknown|deprecated)|not supported|unsupported)`,
    ].join('|'),
    'i',
  )
  const isUnknown = (sentence: string) =>
    name.test(sentence) && (unknownSomething.test(sentence) || unknownPart.test(sentence))
  return {
    name,
    // Several complaints are joined by semicolons. Each may have several sentences.
    isUnknownIn: (words) =>
      words.split('; ').some((complaint) => !wrongValue.test(complaint) && complaint.split('. ').some(isUnknown)),
  }
}

/** Some models take one of the two. The temperature is what people set more often, so that one stays. */
const oneOfBoth =
  /(temperature.{0,20}top_p|top_p.{0,20}temperature).{0,40}(both|only one|together|at the same time)|both.{0,20}(temperature.{0,20}top_p|top_p.{0,20}temperature)/i
const topP = partNamed(/\btop_p\b/i)

/** How servers name what a request says about the choice of words. */
export const samplingParts = {
  top_p: { ...topP, isUnknownIn: (words) => oneOfBoth.test(words) || topP.isUnknownIn(words) },
  top_k: partNamed(/\btop_k\b/i),
  temperature: partNamed(/\btemperature\b/i),
} as const satisfies RefusableParts<string>

/** Words for a model that reads no images at all. */
const noImages =
  /(not|n't|no) (support|accept|allow|handle|have|process)\w* (\w+ )?(images?|vision|multi-?modal)|(images?|image_url|image input|vision|multi-?modal)\b.{0,40}\b(not (supported|allowed|available|enabled)|unsupported|is disabled)|(not|isn't) a (vision|multi-?modal)|(unsupported|unknown) (content|input|message|part|type)\b.{0,30}\bimage|unknown variant .?image_url|no (image|vision) support|that support (image|vision)|at most 0 image/i

/** Words about one picture. Another one may be taken. */
const wrongImage =
  /media.?type|image.?format|image\/\w+|\b(png|jpe?g|gif|webp)\b|unsupported image\b|too large|dimension/i

/** The images of a request, of which servers speak in words of their own. */
export const imagesPart: RefusablePart = {
  name: /\bimage/i,
  isUnknownIn: (words) => noImages.test(words) && !wrongImage.test(words),
}

const unknownCodes: ReadonlySet<unknown> = new Set(['unsupported_parameter', 'unknown_parameter'])

/** The field that a server names in an error of the SDK as one that it does not know. Null for none. */
export function readUnknownField(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error) || !('param' in error)) return null
  return unknownCodes.has(error.code) && typeof error.param === 'string' ? error.param : null
}

/** True when the server refuses thoughts that the request sends back, and not thinking itself. */
export function refusesSignature({ code, message }: ModelError): boolean {
  return code === 'bad_request' && /signature/i.test(message) && /\bthinking\b/i.test(message)
}

/**
 * Schemas that a server refused although it knows schemas. They are kept by their JSON until the app ends. `format`: the
 * part that holds a schema.
 */
export function createRefusedSchemas(format: RefusablePart) {
  const refused = new Set<string>()
  return {
    has: (schema: object | undefined): boolean => schema !== undefined && refused.has(JSON.stringify(schema)),
    /** True when the error is about the schema that was sent, so that a request without it makes sense. */
    learn({ code, message }: ModelError, schema: object | undefined): boolean {
      if (schema === undefined || code !== 'bad_request' || !format.name.test(message)) return false
      refused.add(JSON.stringify(schema))
      return true
    },
  }
}
