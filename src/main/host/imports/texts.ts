import { createScanner, type ParseError, parse } from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { isJsonObject, type JsonObject } from '#shared/base/json.ts'
import { jsonLimit } from '#shared/text/text-limits.ts'
import type { Place } from './place.ts'

/** The JSON object in a file, with or without comments, as long as its place reads it. Undefined when there is none; what is wrong is named. */
export async function readJson(place: Place, path: string): Promise<JsonObject | undefined> {
  const text = await place.read(path)
  if (text === undefined || text.trim() === '') return undefined
  const limit = nestsTooDeep(text) ? `It nests lists or maps deeper than ${deepest} levels.` : undefined
  const errors: ParseError[] = []
  const value: unknown = limit === undefined ? parse(text, errors, { allowTrailingComma: true }) : undefined
  if (limit === undefined && errors.length === 0 && isJsonObject(value)) return value
  place.say(path, limit === undefined ? 'It is no JSON object, so it was not read.' : `It was not read. ${limit}`)
  return undefined
}

const deepest = 64

/** Looks at brackets outside of texts: the home file of Claude Code holds what a person typed, with any brackets. */
function nestsTooDeep(text: string): boolean {
  const scanner = createScanner(text, true)
  let depth = 0
  while (depth <= deepest && scanner.getPosition() < text.length) {
    scanner.scan()
    const sign = text[scanner.getTokenOffset()] ?? ''
    if (sign === '[' || sign === '{') depth += 1
    else if (sign === ']' || sign === '}') depth -= 1
  }
  return depth > deepest
}

/** The same for TOML. Dates are texts. */
export async function readToml(place: Place, path: string): Promise<JsonObject | undefined> {
  const text = await place.read(path)
  if (text === undefined || text.trim() === '') return undefined
  const limit = jsonLimit(text, mostOfToml)
  if (limit !== undefined) {
    place.say(path, `It was not read. ${limit}`)
    return undefined
  }
  try {
    return JSON.parse(JSON.stringify(parseToml(text))) as JsonObject
  } catch {
    place.say(path, 'It is not TOML, so it was not read.')
    return undefined
  }
}

const mostOfToml = 1024 * 1024
