import type { JsonValue } from '#shared/base/json.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { Project } from './project.ts'

const maxFields = 50
const maxPreview = 200

/** Data given with `--input` goes to `/inputs/input.json`; the model is told its shape and size, not all of it. */
export function storeInput({ services }: Project, threadId: ThreadId, input: JsonValue): string {
  const name = `${services.prefixes['/inputs/']}input.json`
  const text = JSON.stringify(input, null, 2)
  services.scratch.write(threadId, name, new TextEncoder().encode(text))
  const fields = typeof input === 'object' && input !== null ? Object.entries(input) : [['(value)', input] as const]
  const lines = fields.slice(0, maxFields).map(([key, value]) => `- ${key}: ${preview(JSON.stringify(value))}`)
  const more = fields.length > maxFields ? `\n- and ${fields.length - maxFields} more` : ''
  return `\n\nInput data is in ${name} (${text.length} characters). Fields:\n${lines.join('\n')}${more}`
}

function preview(json: string): string {
  return json.length > maxPreview ? `${json.slice(0, maxPreview)}… (${json.length} characters)` : json
}
