import { basename } from 'node:path'
import { PdfError, readPdfPages } from '#adapters/pdf/pdf-text.ts'
import type { JsonValue } from '#shared/base/json.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { locateJsonError } from '#shared/text/json-error.ts'
import { tailOf } from '#shared/text/whole-characters.ts'
import { describeCsv } from './describe-csv.ts'
import { describeJson, describeText } from './describe-text.ts'

export type InputKind = 'json' | 'csv' | 'text' | 'pdf'

/** A file that a person gives to an agent. */
export interface GivenInput {
  /** With or without folders. Only the last part counts. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** An input that an agent can read as text. */
export interface ReadInput {
  readonly kind: InputKind
  /** The file name below `/inputs/`. */
  readonly file: string
  /** The content as the agent will read it. */
  readonly text: string
  /** Kind and size in a few words: `3 columns, 120 rows`. */
  readonly about: string
  /** Columns, fields or the beginning, in a few lines. */
  readonly detail: string
}

export type ReadPdf = (bytes: Uint8Array, signal?: AbortSignal) => Promise<readonly string[]>

/** Reads PDFs with the worker at a path. */
export function pdfReader(workerPath: string): ReadPdf {
  return (bytes, signal) => readPdfPages(workerPath, bytes, undefined, signal)
}

/** The most bytes of one input. */
export const largestInput = 20 * 1024 * 1024

/**
 * Reads a file as JSON, CSV, PDF or plain text, by its name and its content.
 *
 * @throws WireError `BAD_REQUEST` with the name of the file, the cause and the next step
 */
export async function readInput({ name, bytes }: GivenInput, readPdf: ReadPdf): Promise<ReadInput> {
  const file = safeName(name)
  const refuse = (why: string): never => {
    throw new WireError('BAD_REQUEST', `${basename(name)}: ${why}`)
  }
  if (bytes.length > largestInput)
    return refuse('It is larger than 20 MB. Put it into the project folder and name it in the message instead.')
  if (bytes.length === 0) return refuse('The file is empty.')
  if (isPdf(file, bytes)) return readPdfInput(file, bytes, readPdf, refuse)
  const text = decode(bytes)
  if (text === undefined)
    return refuse('It is not a text. Attach JSON, CSV, text or PDF, or put it into the project folder.')
  if (/\.(csv|tsv)$/i.test(file)) return { kind: 'csv', file, text, ...describeCsv(text) }
  const isJson = /\.json$/i.test(file) || (!/\.[a-z]+$/i.test(file) && /^\s*[[{]/.test(text))
  if (isJson) return readJson(file, text, refuse)
  return { kind: 'text', file, text, ...describeText(text) }
}

function readJson(file: string, text: string, refuse: (why: string) => never): ReadInput {
  const value = parseJson(text)
  if (value === undefined) {
    const { message, line, column } = locateJsonError(text) ?? { message: 'Unreadable', line: 1, column: 1 }
    return refuse(`It is not JSON: ${message} in line ${line}, column ${column}.`)
  }
  const laidOut = JSON.stringify(value, null, 2)
  return { kind: 'json', file, text: laidOut, ...describeJson(value, laidOut) }
}

/** Undefined when the text is not JSON. */
function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

async function readPdfInput(
  file: string,
  bytes: Uint8Array,
  readPdf: ReadPdf,
  refuse: (why: string) => never,
): Promise<ReadInput> {
  const pages = await readPdf(bytes).catch((error: unknown) => {
    if (error instanceof PdfError) return refuse(error.message)
    throw error
  })
  if (pages.every((page) => page.trim() === ''))
    return refuse('This PDF holds no text, only pictures of pages. Run text recognition over it, or attach the text.')
  const text = pages.map((page, index) => `[Page ${index + 1}]\n${page}\n`).join('\n')
  const { detail } = describeText(pages.join('\n').trimStart())
  const about = `text of a PDF, ${pages.length} ${pages.length === 1 ? 'page' : 'pages'}, ${text.length} characters`
  return { kind: 'pdf', file: `${file}.txt`, text, about, detail }
}

function isPdf(file: string, bytes: Uint8Array): boolean {
  return /\.pdf$/i.test(file) || new TextDecoder('latin1').decode(bytes.subarray(0, 5)) === '%PDF-'
}

/** The text of a file. Old programs write Windows-1252, which is tried after Unicode. Undefined for binary data. */
function decode(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  if (bytes.subarray(0, 64 * 1024).includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const longestName = 80

/** A name that needs no quoting anywhere and hides nothing. */
export function safeName(name: string): string {
  const last = basename(name.replaceAll('\\', '/'))
  const plain = last.normalize('NFC').replace(/[^\p{L}\p{N}._-]+/gu, '-')
  const trimmed = plain.replace(/^[-.]+|-+(?=\.[^.]*$)|-+$/g, '')
  return tailOf(trimmed || 'input', longestName)
}
