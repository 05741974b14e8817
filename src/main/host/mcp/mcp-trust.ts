import { existsSync, renameSync, statSync } from 'node:fs'
import writeFileAtomic from 'write-file-atomic'
import { z } from 'zod'
import { readBounded } from '#adapters/system/read-bounded.ts'

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
  let stamp = stampOf(file)
  let trusted = readTrust(file)
  let saving = 0
  /** What is decided now. Other projects and processes write the same file, and nobody may miss what they decided. */
  function latest(): typeof trusted {
    const now = saving === 0 ? stampOf(file) : stamp
    if (now !== stamp) {
      stamp = now
      trusted = readTrust(file)
    }
    return trusted
  }
  const save = async (next: typeof trusted): Promise<void> => {
    trusted = next
    saving += 1
    try {
      await writeFileAtomic(file, JSON.stringify(next, null, 2), { mode: 0o600 })
    } finally {
      saving -= 1
      stamp = stampOf(file)
    }
  }
  return {
    isTrusted: (definition) => Object.hasOwn(latest(), definition),
    trust: (definition) => save({ ...latest(), [definition]: { answered: false, tools: {} } }),
    revoke: (definition) => {
      const { [definition]: _, ...rest } = latest()
      return save(rest)
    },
    hasAnswered: (definition) => latest()[definition]?.answered ?? false,
    approvedTool(definition, tool) {
      const tools = latest()[definition]?.tools ?? {}
      return Object.hasOwn(tools, tool) ? tools[tool] : undefined
    },
    async approveTools(definition, tools) {
      if (!this.isTrusted(definition)) return
      const known = latest()
      await save({ ...known, [definition]: { answered: true, tools: { ...known[definition]?.tools, ...tools } } })
    },
  }
}

/** Changes whenever somebody writes the file. Empty while there is none. */
function stampOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? '' : [found.ino, found.size, found.mtimeNs].join(' ')
}

/** Trusts nothing when the file cannot be read. A damaged one is set aside, because the next decision is written. */
function readTrust(file: string): Readonly<Record<string, z.infer<typeof one>>> {
  if (!existsSync(file)) return {}
  try {
    // What is wrong with one definition says nothing of the others. It is not trusted, and a person is asked again.
    const read = z.record(z.string(), one.nullable().catch(null)).parse(JSON.parse(readBounded(file).toString('utf8')))
    return Object.fromEntries(Object.entries(read).flatMap(([hash, value]) => (value ? [[hash, value]] : [])))
  } catch {
    renameSync(file, `${file}.damaged`)
    return {}
  }
}
