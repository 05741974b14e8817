import type { JsonValue } from '#shared/base/json.ts'
import type { ActionRequest } from '#shared/model/interrupt.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'

type Rest = readonly (readonly [name: string, value: JsonValue])[]

type CallPreview =
  /** Text that runs exactly as shown, and the call's other arguments. */
  | { readonly kind: 'code'; readonly text: string; readonly language: string; readonly rest: Rest }
  /** Changes to files. The host finds them by running the call on a branch that is thrown away. */
  | { readonly kind: 'changes' }
  | { readonly kind: 'arguments'; readonly entries: Rest }

/** Chooses how a card shows a call before it runs. */
export function previewOf({ name, args }: ActionRequest): CallPreview {
  const { code, access } = findToolFacts(name)
  const text = code && args[code.argument]
  if (code && typeof text === 'string') {
    const rest = Object.entries(args).filter(([key]) => key !== code.argument)
    return { kind: 'code', text, language: code.language, rest }
  }
  return access.writes.length > 0 ? { kind: 'changes' } : { kind: 'arguments', entries: Object.entries(args) }
}
