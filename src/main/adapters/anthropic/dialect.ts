import { imagesPart, partNamed, type RefusableParts, samplingParts } from '../model-http/refusals.ts'
import { callIds } from '../model-http/workarounds.ts'

/** Parts of the protocol that compatible servers may lack. */
export type Extra =
  | 'caching'
  | 'tool_caching'
  | 'thinking'
  | 'effort'
  | 'format'
  | 'temperature'
  | 'top_p'
  | 'top_k'
  | 'images'
  | 'tool_choice'
  | 'call_ids'

/** How servers name these parts. */
export const refusableParts: RefusableParts<Extra> = {
  tool_caching: partNamed(/\btools?\b.*(cache_control|cache control)/is),
  caching: partNamed(/cache_control|cache control|prompt caching/i),
  thinking: partNamed(/\bthinking\b|adaptive/i),
  effort: partNamed(/output_config(?!\.format)|\beffort\b/i),
  format: partNamed(/output_config|json_schema|output schema|structured output/i),
  ...samplingParts,
  images: imagesPart,
  tool_choice: partNamed(/tool_choice|tool choice/i),
  call_ids: callIds,
}
