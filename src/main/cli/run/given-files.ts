import { usableSchema } from '#host/headless/read-answer.ts'
import type { BeginOptions } from '#host/headless/run-task.ts'
import { readGiven, readGivenStart } from '#host/inputs/read-given.ts'
import { largestInput, pdfReader, readInput } from '#host/inputs/read-input.ts'
import type { JsonValue } from '#shared/base/json.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import { appPaths } from '../app-paths.ts'
import { type CommandLine, UsageError } from '../arguments.ts'
import { terminal } from '../screen/terminal.ts'

/** The file of `--input`. JSON has always been called `input.json` for the agent. */
export async function readInputFile(file: string | undefined): Promise<BeginOptions['input']> {
  if (file === undefined) return undefined
  try {
    const read = await readInput(
      { name: file, bytes: readFrom(file, 'input', readInputStart) },
      pdfReader(appPaths.pdfWorker),
    )
    return read.kind === 'json' ? { ...read, file: 'input.json' } : read
  } catch (error) {
    if (error instanceof WireError) throw new UsageError(`--input: ${error.message}`)
    throw error
  }
}

/** The text of `--task`. Throws `UsageError` for none. */
export async function taskOf(line: CommandLine): Promise<string> {
  const given = line.text('task')
  if (given === undefined) throw new UsageError('run needs --task TEXT, --task @FILE or --task - (standard input).')
  const task =
    given === '-' ? await terminal().readAll() : given.startsWith('@') ? readText(given.slice(1), 'task') : given
  if (task.trim() === '') throw new UsageError('The task is empty.')
  return task
}

function readText(file: string, name: string): string {
  return readFrom(file, name, readGiven).toString('utf8')
}

/** Whoever takes an input says that it is too large. */
const readInputStart = (file: string): Buffer => readGivenStart(file, largestInput)

function readFrom(file: string, name: string, how: (file: string) => Buffer): Buffer {
  try {
    return how(file)
  } catch (error) {
    throw new UsageError(`--${name}: cannot read ${file}: ${(error as Error).message}`)
  }
}

/** The schema in the file of `--output-schema`. Null for the word `none`, undefined without the flag. */
export function outputSchemaOf(given: string | undefined): BeginOptions['outputSchema'] {
  if (given === undefined) return undefined
  if (given === 'none') return null
  const schema = readJson(given, 'output-schema')
  try {
    return usableSchema(schema)
  } catch (error) {
    throw new UsageError(`--output-schema: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function readJson(file: string, name: string): JsonValue {
  const text = readText(file, name)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`--${name}: ${file} is not JSON: ${(error as Error).message}`)
  }
}
