import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { z } from 'zod'
import { textIfReadable } from '#adapters/system/read-bounded.ts'
import type { ImportReceipt } from '#shared/contract/views/imports.ts'

/** A file as it was before an import, and as the import wrote it. Null for a file that was not there. */
const fileStep = z.object({
  /** Below the data folder, or the whole path of the settings file. */
  path: z.string(),
  before: z.string().nullable(),
  after: z.string(),
})
const settingStep = z.object({
  path: z.array(z.union([z.string(), z.number()])),
  /** Absent for a value that was not there. */
  before: z.unknown().optional(),
  after: z.unknown(),
})
const receipt = z.object({
  id: z.string(),
  at: z.number(),
  written: z.array(z.string()),
  settings: z.object({ file: fileStep, parts: z.array(settingStep) }).nullable(),
  instructions: z
    .object({ file: fileStep, parts: z.array(z.object({ before: z.string().nullable(), after: z.string() })) })
    .nullable(),
  files: z.array(fileStep),
  /** Folders that the import made, the outermost first. */
  folders: z.array(z.string()),
  memories: z.array(z.object({ name: z.string(), before: z.string().nullable(), after: z.string() })),
  /** The folder of the project that has these notes. Null for none, and for a workspace without a folder. */
  project: z.string().nullable(),
  /** Hooks that began switched off, by hash. */
  hooks: z.array(z.string()),
})

/** All that an undo needs. It is stored before anything is written, so that one that was cut off can be taken back too. */
export type Receipt = z.infer<typeof receipt>

const mostReceipts = 10

const fileOf = (dataFolder: string) => join(dataFolder, 'imports.json')

/** The imports that can be undone, the latest last. What cannot be read is not one of them. */
export function readReceipts(dataFolder: string): readonly Receipt[] {
  try {
    const given = z.array(z.unknown()).parse(JSON.parse(textIfReadable(fileOf(dataFolder)) ?? '[]'))
    return given.flatMap((one) => {
      const read = receipt.safeParse(one)
      return read.success ? [read.data] : []
    })
  } catch {
    return []
  }
}

export async function writeReceipts(dataFolder: string, receipts: readonly Receipt[]): Promise<void> {
  if (receipts.length === 0) {
    rmSync(fileOf(dataFolder), { force: true })
    return
  }
  const text = `${JSON.stringify(receipts.slice(-mostReceipts), null, 2)}\n`
  await writeText(fileOf(dataFolder), text)
}

/** Writes a file whole. A new one is for the person alone; one that is there keeps its mode. */
export async function writeText(file: string, text: string): Promise<void> {
  await writeFileAtomic(file, text, existsSync(file) ? {} : { mode: 0o600 })
}

/** The latest import that can be undone, for people. Null for none. */
export function latestReceipt(dataFolder: string): ImportReceipt | null {
  const last = readReceipts(dataFolder).at(-1)
  return last ? receiptView(last) : null
}

export function receiptView({ id, at, written }: Receipt): ImportReceipt {
  return { id, at, written }
}
