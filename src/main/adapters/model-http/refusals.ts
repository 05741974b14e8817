import type { ModelError } from '#core/ports/model-client.ts'
import type { Dialect } from '#core/ports/model-server.ts'

/** Parts of a request that a server may refuse, each with how a refusal names it. A narrow part comes before a wide one. */
export type RefusablePart<Part extends string> = Readonly<Record<Part, RegExp>>

const refusals = new Set<ModelError['code']>(['bad_request', 'not_found', 'server'])

/**
 * Learns from a refusal which of the parts that were sent the server does not take. True when there is one, so that a
 * request without it makes sense.
 */
export function learnRefusal<Part extends string>(
  dialect: Dialect,
  model: string,
  { code, message, said }: ModelError,
  { names, sent }: { readonly names: RefusablePart<Part>; readonly sent: ReadonlySet<Part> },
): boolean {
  // Some servers answer with 404 or 500 where a model cannot read images or call tools.
  if (!refusals.has(code) || (code !== 'bad_request' && said === '')) return false
  const refused = dialect.refusedBy(model)
  const text = said || message
  const parts = Object.keys(names) as Part[]
  // One at a time: a narrow part stands before the wide one that holds it.
  const part = parts.find((one) => sent.has(one) && !refused.has(one) && names[one].test(text))
  if (part !== undefined) dialect.learn(model, part)
  return part !== undefined
}

/** Words for a model that reads no images at all. A picture that is too large is another matter. */
export const refusesImages =
  /(not|n't|no) (support|accept|allow|handle|have|process)\w* (\w+ )?(images?|vision|multi-?modal)|(images?|image_url|image input|vision|multi-?modal)\b.{0,40}\b(not (supported|allowed|available|enabled)|unsupported|is disabled)|(not|isn't) a (vision|multi-?modal)|unsupported.{0,30}\bimage|no (image|vision) support|at most 0 image/i
