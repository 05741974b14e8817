/** What of an answer an agent can read. */
export type PageKind = 'page' | 'text' | 'pdf' | 'other'

/** RFC 6838. A server could write anything into its place, and an agent reads the type outside of what is marked as data. */
const properType = /^[a-z\d][\w!#$&^.+-]{0,126}\/[a-z\d][\w!#$&^.+-]{0,126}$/

/** The type of an answer without its parameters, and its charset. Empty for what it does not say. */
export function readType(header: string | null): { readonly type: string; readonly charset: string } {
  const [type = '', ...parameters] = (header ?? '').split(';')
  const charset = parameters.map((one) => /^\s*charset\s*=\s*"?([^"\s]+)/i.exec(one)?.[1]).find(Boolean)
  const named = type.trim().toLowerCase()
  return { type: properType.test(named) ? named : '', charset: charset ?? '' }
}

const texts =
  /^(text\/.+|application\/(.+\+)?(json|xml|yaml|toml|javascript|ecmascript|x-ndjson|x-yaml|x-sh|graphql|sql|rtf))$/

/** By its type, or by how it begins where the type says nothing. */
export function kindOf(type: string, bytes: Uint8Array): PageKind {
  if (Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-') return 'pdf'
  if (/^(text\/html|application\/xhtml\+xml)$/.test(type)) return 'page'
  const isPlain = type === '' || type === 'application/octet-stream' || type === 'text/plain'
  if (isPlain && markOf(bytes) === '' && bytes.subarray(0, 8_192).includes(0)) return 'other'
  if (type === '' && /^\s*<(!doctype html|html)[\s>]/i.test(beginning(bytes))) return 'page'
  return type === '' || type === 'application/octet-stream' || texts.test(type) ? 'text' : 'other'
}

/**
 * The text of an answer: by its byte-order mark, its header, or what it says of itself. UTF-8 otherwise, and the usual charset of
 * old pages when it is not that.
 */
export function decodePage(bytes: Uint8Array, charset: string): string {
  const said = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]+)/i.exec(beginning(bytes))?.[1]
  const declared = /^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([\w-]+)/i.exec(beginning(bytes))?.[1]
  for (const name of [markOf(bytes), charset, said, declared]) {
    const decoder = name ? decoderOf(name) : null
    if (decoder) return decoder.decode(bytes)
  }
  const text = new TextDecoder().decode(bytes)
  return text.includes('\ufffd') && !isUtf8(bytes) ? new TextDecoder('windows-1252').decode(bytes) : text
}

/** The charset that a byte-order mark names; empty for none. */
function markOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : ''
}

function decoderOf(name: string): TextDecoder | null {
  try {
    return new TextDecoder(name)
  } catch {
    return null
  }
}

/** Also when the last character was cut. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

function beginning(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, 2_048)).toString('latin1')
}
