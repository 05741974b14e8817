import { existsSync, readFileSync, renameSync } from 'node:fs'
import writeFileAtomic from 'write-file-atomic'
import { z } from 'zod'

const hashes = z.record(z.string(), z.string())

/**
 * By definition. Earlier versions stored only the tools. A definition that had none then may have answered with an empty
 * list, so it counts as answered: its tools ask.
 */
const one = z.union([
  z.object({ answered: z.boolean(), tools: hashes }),
  hashes.transform((tools) => ({ answered: true, tools })),
])

/**
 * The definitions that a person trusts, each with its tools as approved. Stored in the app's data, where no project or
 * agent can write.
 */
export interface McpTrust {
  isTrusted(definition: string): boolean
  trust(definition: string): Promise<void>
  revoke(definition: string): Promise<void>
  /** False until the server has answered for the first time, even with an empty list. */
  hasAnswered(definition: string): boolean
  /** The hash of the tool as it was approved. Undefined for a new tool. */
  approvedTool(definition: string, tool: string): string | undefined
  /** From now on the server has answered. Does nothing for a definition that is not trusted, or not any more. */
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
    trust: (definition) => save({ ...trusted, [definition]: { answered: false, tools: {} } }),
    revoke: (definition) => {
      const { [definition]: _, ...rest } = trusted
      return save(rest)
    },
    hasAnswered: (definition) => trusted[definition]?.answered ?? false,
    approvedTool(definition, tool) {
      const tools = trusted[definition]?.tools ?? {}
      return Object.hasOwn(tools, tool) ? tools[tool] : undefined
    },
    async approveTools(definition, tools) {
      if (!this.isTrusted(definition)) return
      await save({ ...trusted, [definition]: { answered: true, tools: { ...trusted[definition]?.tools, ...tools } } })
    },
  }
}

/** Trusts nothing when the file cannot be read. A damaged one is set aside, because the next decision is written. */
function readTrust(file: string): Readonly<Record<string, z.infer<typeof one>>> {
  if (!existsSync(file)) return {}
  try {
    // What is wrong with one definition says nothing of the others. It is not trusted, and a person is asked again.
    const read = z.record(z.string(), one.nullable().catch(null)).parse(JSON.parse(readFileSync(file, 'utf8')))
    return Object.fromEntries(Object.entries(read).flatMap(([hash, value]) => (value ? [[hash, value]] : [])))
  } catch {
    renameSync(file, `${file}.damaged`)
    return {}
  }
}
