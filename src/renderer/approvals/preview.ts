import type { JsonObject, JsonValue } from '#shared/base/json.ts'
import type { ActionRequest } from '#shared/model/interrupt.ts'
import { codeArguments } from '../parts/code-arguments.ts'

type CallPreviewData =
  | {
      readonly kind: 'code'
      readonly text: string
      readonly language: string
      readonly rest: readonly (readonly [string, JsonValue])[]
    }
  | WritePreview
  | { readonly kind: 'arguments'; readonly entries: readonly (readonly [string, JsonValue])[] }

export interface WritePreview {
  readonly kind: 'write'
  readonly path: string
  /** The file after the call. `before` is null for a file that does not exist or is no text. */
  readonly after: (before: string | null) => string
}

/** What a card shows of a call before it runs. */
export function previewOf({ name, args }: ActionRequest): CallPreviewData {
  const code = codeArguments[name]
  const text = code && args[code.name]
  if (typeof text === 'string') {
    const rest = Object.entries(args).filter(([key]) => key !== code?.name)
    return { kind: 'code', text, language: code?.language ?? '', rest }
  }
  return writePreview(name, args) ?? { kind: 'arguments', entries: Object.entries(args) }
}

function writePreview(name: string, args: JsonObject): WritePreview | null {
  const path = args.file_path
  if (typeof path !== 'string') return null
  const edits = name === 'edit_file' ? [args] : name === 'multi_edit' ? args.edits : undefined
  const { content } = args
  if (name === 'write_file' && typeof content === 'string') return { kind: 'write', path, after: () => content }
  if (!Array.isArray(edits)) return null
  return { kind: 'write', path, after: (before) => edits.reduce<string>(applyEdit, before ?? '') }
}

function applyEdit(text: string, edit: JsonValue): string {
  if (typeof edit !== 'object' || edit === null || Array.isArray(edit)) return text
  const { old_string: from, new_string: to, replace_all: all } = edit as JsonObject
  if (typeof from !== 'string' || typeof to !== 'string') return text
  // A function, because `$&` in a replacement string has a special meaning.
  return all === true ? text.replaceAll(from, () => to) : text.replace(from, () => to)
}
