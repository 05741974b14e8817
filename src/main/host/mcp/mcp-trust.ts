import { existsSync, readFileSync } from 'node:fs'
import writeFileAtomic from 'write-file-atomic'
import { z } from 'zod'

const stored = z.record(z.string(), z.record(z.string(), z.string()))

/**
 * What a person agreed to: exact definitions, and of each the tools as they then were. Lives in the app's data, where no project and no
 * agent can write.
 */
export interface McpTrust {
  isTrusted(definition: string): boolean
  trust(definition: string): Promise<void>
  revoke(definition: string): Promise<void>
  /** False before the server has answered for the first time. */
  hasApprovedTools(definition: string): boolean
  /** The tool as it was approved, by its hash; undefined for one that is new. */
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

/** A file that cannot be read trusts nothing. */
function readTrust(file: string): z.infer<typeof stored> {
  if (!existsSync(file)) return {}
  try {
    return stored.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return {}
  }
}
