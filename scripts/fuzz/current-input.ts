import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

/** The input that a process is reading, in a file, so that it survives the process. */
export interface CurrentInput extends Disposable {
  /** Call it before each input. */
  note(count: number, input: Buffer): void
}

const header = 16

export function createCurrentInput(file: string): CurrentInput {
  const handle = openSync(file, 'w')
  const head = Buffer.alloc(header)
  return {
    note(count, input) {
      head.writeDoubleLE(count, 0)
      head.writeDoubleLE(input.length, 8)
      writeSync(handle, input, 0, input.length, header)
      writeSync(handle, head, 0, header, 0)
    },
    [Symbol.dispose]: () => closeSync(handle),
  }
}

/** The number of the noted input and the input. Undefined when none was noted. */
export function readCurrentInput(file: string): { readonly count: number; readonly input: Buffer } | undefined {
  const bytes = readFileSync(file)
  if (bytes.length < header) return undefined
  return { count: bytes.readDoubleLE(0), input: bytes.subarray(header, header + bytes.readDoubleLE(8)) }
}
