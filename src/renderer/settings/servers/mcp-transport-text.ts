import type { McpOAuth, McpTransport } from '#shared/model/settings.ts'

/** A server as text for its form. */
export interface McpForm {
  readonly name: string
  readonly kind: McpTransport['kind']
  /** The command or the address. */
  readonly target: string
  readonly args: string
  /** `NAME=value` or `Name: value` on each line. */
  readonly pairs: string
  /** What the settings file says of logins, which the form keeps as it is. Absent for nothing. */
  readonly oauth?: McpOAuth
}

export const emptyMcpForm: McpForm = { name: '', kind: 'stdio', target: '', args: '', pairs: '' }

export function mcpFormOf(name: string, transport: McpTransport): McpForm {
  if (transport.kind === 'http') {
    const pairs = Object.entries(transport.headers).map(([header, value]) => `${header}: ${value}`)
    const { url, oauth } = transport
    return { name, kind: 'http', target: url, args: '', pairs: pairs.join('\n'), ...(oauth && { oauth }) }
  }
  const pairs = Object.entries(transport.env).map(([variable, value]) => `${variable}=${value}`)
  const { command, args } = transport
  return { name, kind: 'stdio', target: command, args: args.join('\n'), pairs: pairs.join('\n') }
}

/** The server that a form describes; null while something is missing or a line is not valid. */
export function transportOf({ kind, target, args, pairs, oauth }: McpForm) {
  const separator = kind === 'stdio' ? '=' : ':'
  const read = linesOf(pairs).map((line) => pairIn(line, separator))
  if (target.trim() === '' || read.some((pair) => pair === null)) return null
  const named = Object.fromEntries(read.filter((pair) => pair !== null))
  if (kind === 'stdio') return { kind, command: target.trim(), args: linesOf(args), env: named } as const
  return URL.canParse(target.trim()) ? { kind, url: target.trim(), headers: named, ...(oauth && { oauth }) } : null
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}

function pairIn(line: string, separator: string): readonly [string, string] | null {
  const at = line.indexOf(separator)
  const name = line.slice(0, at).trim()
  return at < 1 || name === '' ? null : [name, line.slice(at + 1).trim()]
}
