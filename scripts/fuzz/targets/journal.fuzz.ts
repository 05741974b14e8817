import { deflateSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { z } from 'zod'
import { createEntryReader } from '../../../src/main/adapters/sqlite/rows/entry-rows.ts'
import { JournalError } from '../../../src/main/core/ports/journal.ts'
import { entrySchema } from '../../../src/shared/model/entry.ts'
import { replied, said, threadCreated } from '../../../src/shared/model/entry-bodies.testkit.ts'
import type { BranchId } from '../../../src/shared/model/ids.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const bodies = [threadCreated('b' as BranchId), said('m'), replied('n', 'execute', ['c']), ...sampleEntries()]

interface SampleSchema {
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly type?: string
  readonly anyOf?: readonly SampleSchema[]
  readonly oneOf?: readonly SampleSchema[]
  readonly properties?: Readonly<Record<string, SampleSchema>>
  readonly items?: SampleSchema
}

/** One entry of each type, with all fields. */
function sampleEntries(): readonly { readonly type: string }[] {
  const schema = z.toJSONSchema(entrySchema, { unrepresentable: 'any', io: 'input' }) as SampleSchema
  const options = schema.oneOf ?? schema.anyOf ?? []
  return options.map((option) => sampleOf(option, 0) as { readonly type: string })
}

function sampleOf(schema: SampleSchema, depth: number): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const [choice] = schema.anyOf ?? schema.oneOf ?? []
  if (choice && depth < 12) return sampleOf(choice, depth + 1)
  switch (schema.type) {
    case 'string':
      return 'a'
    case 'number':
    case 'integer':
      return 1
    case 'boolean':
      return true
    case 'array':
      return schema.items && depth < 12 ? [sampleOf(schema.items, depth + 1)] : []
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, value]) => [key, sampleOf(value, depth + 1)]),
      )
    default:
      return null
  }
}

/** The type of an entry on the first line, its stored body below. Each body is read plain and packed. */
export const journal: FuzzTarget = {
  name: 'journal',
  seeds: bodies.map(({ type, ...body }) => `${type}\n${JSON.stringify(body)}`),
  run(input) {
    const text = input.toString()
    const end = text.indexOf('\n')
    const [type, body] = end < 0 ? [text, '{}'] : [text.slice(0, end), text.slice(end + 1)]
    const reader = createEntryReader(new Database(':memory:'))
    for (const stored of [body, deflateSync(body), input]) {
      const row = { sequence: 1, thread_id: 't', at: 0, type, body: stored }
      try {
        requireLaw(reader.read([row])[0]?.sequence === 1, 'an entry keeps its number')
      } catch (error) {
        if (!(error instanceof JournalError)) throw error
      }
    }
  },
}
