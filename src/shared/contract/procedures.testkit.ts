import { isContractProcedure } from '@orpc/contract'
import { z } from 'zod'
import { branchId, threadId } from '../model/entry-parts.ts'
import { contract } from './contract.ts'
import { projectId, virtualPath } from './primitives.ts'

/** What a field of an input is to the guards behind the door. */
export type FieldKind =
  | 'project'
  | 'thread or branch'
  | 'path of a project'
  | 'text'
  | 'list'
  | 'JSON object'
  | 'number or choice'
  | 'unknown'

export interface Field {
  /** The names that lead to it, as in `decisions.callId`. */
  readonly name: string
  readonly kind: FieldKind
  /** False for a text or list without a most. */
  readonly isBounded: boolean
}

export interface Procedure {
  /** As in `threads.send`. */
  readonly name: string
  /** Undefined for one without an input. */
  readonly schema: unknown
  readonly fields: readonly Field[]
}

const known = new Map<unknown, FieldKind>([
  [projectId, 'project'],
  [threadId, 'thread or branch'],
  [branchId, 'thread or branch'],
  [virtualPath, 'path of a project'],
])

/** Every procedure of the contract. */
export const procedures: readonly Procedure[] = proceduresOf(contract, '')

function proceduresOf(router: object, prefix: string): readonly Procedure[] {
  return Object.entries(router).flatMap(([name, value]) => {
    if (!isContractProcedure(value)) return proceduresOf(value as object, `${prefix}${name}.`)
    const { inputSchema: schema } = value['~orpc']
    return [{ name: `${prefix}${name}`, schema, fields: schema === undefined ? [] : fieldsOf(schema, '') }]
  })
}

function fieldsOf(schema: unknown, name: string): readonly Field[] {
  const field = (kind: FieldKind, isBounded = true) => [{ name, kind, isBounded }]
  const kind = known.get(schema)
  if (kind !== undefined) return field(kind)
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([key, one]) => fieldsOf(one, name === '' ? key : `${name}.${key}`))
  if (schema instanceof z.ZodArray) return [...field('list', hasMost(schema)), ...fieldsOf(schema.element, name)]
  if (schema instanceof z.ZodRecord)
    return [schema.keyType, schema.valueType].flatMap((one) => fieldsOf(one, `${name}.*`))
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((one) => fieldsOf(one, name))
  if (schema instanceof z.ZodPipe) return fieldsOf(schema.in, name)
  if (
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  )
    return fieldsOf(schema.unwrap(), name)
  if (schema instanceof z.ZodExactOptional) return fieldsOf(schema.unwrap(), name)
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat)
    return field('text', typeof schema.maxLength === 'number')
  if (schema instanceof z.ZodCustom) return field('JSON object')
  const isPlain = [z.ZodNumber, z.ZodEnum, z.ZodLiteral, z.ZodBoolean, z.ZodNull].some((one) => schema instanceof one)
  return field(isPlain ? 'number or choice' : 'unknown', isPlain)
}

function hasMost(list: z.ZodArray): boolean {
  return (list._zod.def.checks ?? []).some(({ _zod }) => ['max_length', 'length_equals'].includes(_zod.def.check))
}

const ids: ReadonlySet<FieldKind> = new Set<FieldKind>(['project', 'thread or branch'])

/** A small input that fits the schema and has all ids, with these values where a field of such a name is. */
export function sampleOf(schema: unknown, values: Readonly<Record<string, unknown>>, name = ''): unknown {
  const at = (one: unknown) => sampleOf(one, values, name)
  if (Object.hasOwn(values, name)) return values[name]
  if (schema === virtualPath) return '/a.txt'
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(Object.entries(schema.shape).map(([key, one]) => [key, sampleOf(one, values, key)]))
  if (schema instanceof z.ZodArray) return [at(schema.element)]
  if (schema instanceof z.ZodRecord) return {}
  if (schema instanceof z.ZodUnion) return at(schema.options[0])
  if (schema instanceof z.ZodPipe) return at(schema.in)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return fieldsOf(schema, '').some(({ kind }) => ids.has(kind)) ? at(schema.unwrap()) : undefined
  if (schema instanceof z.ZodNullable) return at(schema.unwrap())
  if (schema instanceof z.ZodLiteral) return [...schema.values][0]
  if (schema instanceof z.ZodEnum) return schema.options[0]
  if (schema instanceof z.ZodBoolean) return true
  if (schema instanceof z.ZodNumber) return Math.max(1, schema.minValue ?? 1)
  if (schema instanceof z.ZodURL) return 'http://127.0.0.1:1'
  if (schema instanceof z.ZodStringFormat) return ''
  if (schema instanceof z.ZodString) return 'x'.repeat(schema.minLength ?? 1)
  return {}
}
