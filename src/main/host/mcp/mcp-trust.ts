import { existsSync, readFileSync } from 'node:fs'
import writeFileAtomic from 'write-file-atomic'
import { z } from 'zod'

const stored = z.record(z.string(), z.record(z.string(), z.string()))

/**
 * The definitions that a person trusts, each with its tools as approved. Stored in the app's data, where no project or
 * agent can write.
 */
export interface McpTrust {
  isTrusted(definition: string): boolean
  trust(definition: string): Promise<void>
  revoke(definition: string): Promise<void>
  /** False until the server has answered for the first time. */
  hasApprovedTools(definition: string): boolean
  /** The hash of the tool as it was approved. Undefined for a new tool. */
  approvedTool(definition: string, tool: string): string | undefined
  approveTools(definition: string, tools: Readonly<Record<string, string>>): Promise<void>
}

export function openMcpTrust(file: string): McpTrust {
  let trusted = readTrust(file)
  const save = async (next: typeof trusted): Promise<void> => {
    trusted = next
    await writeFileAtomic(file, JSON.stringify(next, null, 2), { mode: 0o600 })
  }
  return {
    isTrusted: (definition) => Object.hasOwn(trusted, definition),
    trust: (definition) => save({ ...trusted, [definition]: {} }),
    revoke: (definition) => {
      const { [definition]: _, ...rest } = trusted
      return save(rest)
    },
    hasApprovedTools: (definition) => Object.keys(trusted[definition] ?? {}).length > 0,
    approvedTool: (definition, tool) => trusted[definition]?.[tool],
    approveTools: (definition, tools) => save({ ...trusted, [definition]: { ...trusted[definition], ...tools } }),
  }
}

/** Trusts nothing when the file cannot be read. */
function readTrust(file: string): z.infer<typeof stored> {
  if (!existsSync(file)) return {}
  try {
    return stored.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return {}
  }
}
