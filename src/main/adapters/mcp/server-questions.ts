import type { Client, ElicitRequest, ElicitResult } from '@modelcontextprotocol/client'
import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import type { AskedByServer, QuestionField, ServerAnswer } from '#shared/model/calls/server-question.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'

/** Asks the person. Undefined where nobody can be asked. */
export type Ask = ((question: AskedByServer, signal: AbortSignal) => Promise<ServerAnswer>) | undefined

/** What a card can hold. A question with more is declined. */
const most = { message: 4_000, fields: 30, options: 200, text: 500, address: 4_000 } as const

/** Passes the questions of a server to `ask`. Declines one that no card can show, and all when nobody can be asked. */
export function answerQuestions(client: Client, ask: () => Ask): void {
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }): Promise<ElicitResult> => {
    const [question, asked] = [readQuestion(params), ask()]
    if (!question || !asked) return { action: 'decline' }
    const answer = await asked(question, mcpReq.signal)
    if (answer.action !== 'accept') return { action: answer.action }
    if (question.kind === 'address') return { action: 'accept' }
    const content = Object.entries(answer.values).map(([name, value]) => [
      name,
      Array.isArray(value) ? [...value] : value,
    ])
    return { action: 'accept', content: Object.fromEntries(content) }
  })
}

/** Null for a question that a card cannot show whole. */
export function readQuestion(params: ElicitRequest['params']): AskedByServer | null {
  if (params.message.length > most.message) return null
  if (params.mode === 'url') {
    const address = URL.parse(params.url)
    const isPage = address !== null && /^https?:$/.test(address.protocol) && address.href.length <= most.address
    // What is before an @ looks like the host, and is none.
    return isPage && address.username === '' && address.password === ''
      ? { kind: 'address', message: params.message, address: address.href }
      : null
  }
  const { properties, required = [] } = params.requestedSchema
  const fields = Object.entries(properties).map(([name, schema]) =>
    readField(name, JSON.parse(JSON.stringify(schema)) as JsonObject, required.includes(name)),
  )
  const whole = fields.filter((field) => field !== null)
  const isWhole = whole.length === fields.length && fields.length <= most.fields
  return isWhole ? { kind: 'form', message: params.message, fields: whole } : null
}

function readField(name: string, schema: JsonObject, required: boolean): QuestionField | null {
  const { title, description, default: initial } = schema
  const kind = kindOf(schema)
  const options = optionsOf(schema)
  if (kind === null || options.length > most.options || name.length > most.text) return null
  if (options.some(({ value }) => value.length > most.text)) return null
  return {
    ...{ name, required, kind, options },
    title: shown(title) || shown(name),
    description: shown(description),
    initial: initialOf(kind, initial),
  }
}

function kindOf(schema: JsonObject): QuestionField['kind'] | null {
  switch (schema.type) {
    case 'string':
      return optionsOf(schema).length > 0 ? 'one of' : 'text'
    case 'number':
    case 'integer':
      return schema.type
    case 'boolean':
      return 'yes or no'
    case 'array':
      return optionsOf(schema).length > 0 ? 'some of' : null
    default:
      return null
  }
}

/** As values alone, as values with titles in a list beside them, or as constants with titles. */
function optionsOf(schema: JsonObject): QuestionField['options'] {
  const from = isJsonObject(schema.items) ? schema.items : schema
  const named = [from.oneOf, from.anyOf].find((list) => Array.isArray(list))
  if (Array.isArray(named))
    return named.flatMap((one) =>
      isJsonObject(one) && typeof one.const === 'string'
        ? [{ value: one.const, title: shown(one.title) || shown(one.const) }]
        : [],
    )
  const { enum: values, enumNames: titles } = from
  if (!Array.isArray(values)) return []
  return values.flatMap((value, index) =>
    typeof value === 'string'
      ? [{ value, title: shown(Array.isArray(titles) ? titles[index] : value) || shown(value) }]
      : [],
  )
}

function initialOf(kind: QuestionField['kind'], value: JsonValue | undefined): QuestionField['initial'] {
  if (kind === 'some of') return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : null
  if (typeof value === 'string') return kind === 'text' || kind === 'one of' ? value : null
  if (typeof value === 'number') return kind === 'number' || kind === 'integer' ? value : null
  return typeof value === 'boolean' && kind === 'yes or no' ? value : null
}

/** One line of what it is: a label that reads otherwise would have a person choose something else. */
function shown(text: JsonValue | undefined): string {
  return typeof text === 'string' ? oneLine(beginningOf(text, most.text)) : ''
}
