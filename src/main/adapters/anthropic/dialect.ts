import { type RefusablePart, refusesImages } from '../model-http/refusals.ts'

/** Parts of the protocol that compatible servers may lack. */
export type Extra =
  | 'caching'
  | 'tool_caching'
  | 'thinking'
  | 'effort'
  | 'format'
  | 'temperature'
  | 'images'
  | 'tool_choice'

/** How a refusal names the part that the server does not know. */
export const refusableParts: RefusablePart<Extra> = {
  tool_caching: /\btools?\b.*(cache_control|cache control)/is,
  caching: /cache_control|cache control|prompt caching/i,
  thinking: /\bthinking\b|adaptive/i,
  effort: /output_config(?!\.format)|\beffort\b/i,
  format: /output_config|json_schema|output schema|structured output/i,
  temperature: /\btemperature\b/i,
  images: refusesImages,
  tool_choice: /tool_choice|tool choice/i,
}
