import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { emptySetupRecord, type SetupRecord, type SetupRecords } from '#core/ports/stores/setup-records.ts'
import type { LayerId } from '#shared/model/ids.ts'
import { readBounded } from '../system/read-bounded.ts'

const layers = z.array(z.string().transform((id) => id as LayerId))
const told = { command: z.string(), at: z.number() }
const shape = z.object({
  base: z
    .object({
      key: z.string(),
      layers,
      state: z.object({
        kind: z.literal('ready'),
        ...told,
        durationMs: z.number(),
        bytes: z.number(),
        dropped: z.array(z.string()),
        droppedCount: z.number(),
      }),
    })
    .nullable(),
  earlier: z.array(layers),
  failure: z
    .object({
      key: z.string(),
      state: z.object({
        kind: z.literal('failed'),
        ...told,
        isCancelled: z.literal(true).exactOptional(),
        reason: z.string(),
        lines: z.array(z.string()),
      }),
    })
    .nullable(),
})

/** Keeps the record and the output as files of a folder, which is made when the first of them is written. */
export function createSetupRecords(folder: string): SetupRecords {
  const recordFile = join(folder, 'setup.json')
  const outputFile = join(folder, 'output.txt')
  return {
    read: () => readRecord(recordFile),
    write: (record) => replaceFile(folder, recordFile, JSON.stringify(record)),
    readOutput: () => textOf(outputFile) ?? '',
    writeOutput: (text) => replaceFile(folder, outputFile, text),
  }
}

/** A damaged record counts as none: the setup runs again. */
function readRecord(file: string): SetupRecord {
  const text = textOf(file)
  if (text === undefined) return emptySetupRecord
  try {
    return shape.parse(JSON.parse(text))
  } catch {
    return emptySetupRecord
  }
}

function textOf(file: string): string | undefined {
  try {
    return readBounded(file).toString('utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** A kill at any time leaves the old file or the new one. */
function replaceFile(folder: string, file: string, text: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const next = openSync(`${file}.new`, 'w', 0o600)
  try {
    writeSync(next, text)
    fsyncSync(next)
  } finally {
    closeSync(next)
  }
  renameSync(`${file}.new`, file)
}
