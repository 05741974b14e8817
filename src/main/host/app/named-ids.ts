import { z } from 'zod'
import { branchId, threadId } from '#shared/model/entry-parts.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'

/** Takes the ids of threads and branches out of a value that may not fit its schema. */
type IdReader = (value: unknown) => readonly (ThreadId | BranchId)[]

const none: IdReader = () => []
const known = new WeakMap<object, IdReader>()

/** What a command of the contract names: its fields with an id of a thread or a branch, by the schema of its input. */
export function namedIds(schema: unknown, value: unknown): readonly (ThreadId | BranchId)[] {
  return readerOf(schema)(value)
}

function readerOf(schema: unknown): IdReader {
  if (typeof schema !== 'object' || schema === null) return none
  const found = known.get(schema) ?? makeReader(schema)
  known.set(schema, found)
  return found
}

function makeReader(schema: object): IdReader {
  if (schema === threadId || schema === branchId) return (value) => (isId(value) ? [value] : [])
  if (schema instanceof z.ZodObject) return ofFields(Object.entries(schema.shape))
  if (schema instanceof z.ZodArray) return ofItems(readerOf(schema.element))
  if (schema instanceof z.ZodUnion) return ofAll(schema.options.map(readerOf))
  if (schema instanceof z.ZodPipe) return readerOf(schema.in)
  const isWrapped = schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
  return isWrapped ? readerOf(schema.unwrap()) : none
}

function ofFields(fields: readonly (readonly [string, unknown])[]): IdReader {
  const readers = fields.flatMap(([name, schema]) => {
    const read = readerOf(schema)
    return read === none ? [] : [[name, read] as const]
  })
  if (readers.length === 0) return none
  return (value) => {
    if (typeof value !== 'object' || value === null) return []
    const own = new Map(Object.entries(value))
    return readers.flatMap(([name, read]) => read(own.get(name)))
  }
}

function ofItems(read: IdReader): IdReader {
  return read === none ? none : (value) => (Array.isArray(value) ? value.flatMap(read) : [])
}

function ofAll(all: readonly IdReader[]): IdReader {
  const readers = all.filter((read) => read !== none)
  return readers.length === 0 ? none : (value) => readers.flatMap((read) => read(value))
}

function isId(value: unknown): value is ThreadId | BranchId {
  return typeof value === 'string'
}
