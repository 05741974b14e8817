import { createHash } from 'node:crypto'
import type { RefusablePart } from './refusals.ts'

/** A form of requests that some servers refuse although the protocol has it. `name`: what their words are about. */
function formNamed(name: RegExp, ...words: readonly RegExp[]): RefusablePart {
  return { name, isUnknownIn: (said) => name.test(said) && words.every((word) => word.test(said)) }
}

/** Ids of calls as their maker wrote them, outside the pattern that most makers have. */
export const ownIds = formNamed(
  /\bid\b|_id\b/i,
  /too long|maximum length|at most \d+|pattern|\binvalid\b|must (be|match|contain|only)|characters/i,
)

/** Ids of calls in other letters or lengths than nine. */
export const callIds = formNamed(
  /\bid\b|_id\b/i,
  /length of 9|\b(9|nine) (alphanumeric |characters|letters)|a-z, ?A-Z, ?0-9/i,
)

/** Null as the content of a message that only calls. */
export const nullContent = formNamed(
  /\bcontent\b/i,
  /\b(null|none|nil|undefined)\b|\b(is|field) required|missing|(must|should) be a (valid )?string|expected a string/i,
)

/** What a person says straight after results. */
export const userAfterTool = formNamed(
  /\brole\b/i,
  /user\b.{0,40}\bafter\b.{0,40}\btool\b|after\b.{0,20}tool\b.{0,60}\bassistant/i,
)

/** A message of the model without its thoughts, where the server demands them. */
export const noThoughts = formNamed(
  /reasoning_content/i,
  /missing|required|must (be|have|contain|include)|pass(ed)? back|not (found|provided)|expected|need/i,
)

/** A call without the proof of its maker. */
export const noSignature = formNamed(/thought_?signature/i, /missing|required|must|not (found|provided)|without/i)

/** The system prompt as a message of its own. */
export const systemRole = formNamed(
  /\bsystem\b/i,
  /system (role|messages?|prompts?)\b.{0,20}\b(not|n't|un)\b ?(supported|allowed)?|role.{0,15}system.{0,30}(not|n't|invalid|unsupported)/i,
)

/** An id of nine letters and digits, the same for the same call. */
export function nineLetters(callId: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(callId)) return callId
  return createHash('sha256').update(callId).digest('hex').slice(0, 9)
}
