import fs from 'node:fs'
import promises, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

/**
 * A disk that fails at the nth call to it, as SQLite's own tests have it. Import this file before the code under test,
 * which may keep references to the functions of `node:fs`.
 */
export interface Fault {
  /** Counted from 1. */
  readonly call: number
  /** `once`: only this call fails. `on`: this call and every later one. */
  readonly lasts: 'once' | 'on'
  /** The code of the system's error, or `short` for a write that takes only half of its bytes. */
  readonly code: string
  /** `writes`: only calls that need space or change the disk are counted. */
  readonly counts: 'writes' | 'all'
}

let fault: Fault | null = null
let calls = 0

/** Runs with this fault. `reached` is false when there were fewer calls. */
export async function withFault<Value>(
  next: Fault,
  act: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly reached: boolean }> {
  fault = next
  calls = 0
  try {
    return { value: await act(), reached: calls >= next.call }
  } finally {
    fault = null
  }
}

const writing = [
  ...['chmodSync', 'fchmodSync', 'mkdirSync', 'renameSync', 'symlinkSync', 'writeSync'],
  ...['mkdir', 'rename', 'sync', 'writeFile', 'write', 'fsync', 'rmdirSync', 'unlinkSync', 'rm'],
]
const reading = [
  'fstatSync',
  'lstatSync',
  'readSync',
  'readlinkSync',
  'read',
  'opendirSync',
  'readdirSync',
  'readFile',
  'readdir',
]
const opening = ['openSync', 'open']

/** The error that this call must end with; `half` for a short write. */
function due(name: string, parameters: readonly unknown[]): Error | 'half' | undefined {
  if (!fault) return undefined
  const isWrite = writing.includes(name) || (opening.includes(name) && opensForWriting(parameters[1]))
  if (fault.counts === 'writes' && !isWrite) return undefined
  calls += 1
  const isDue = fault.lasts === 'once' ? calls === fault.call : calls >= fault.call
  if (!isDue) return undefined
  if (fault.code === 'short') return 'half'
  const place = parameters.find((one) => typeof one === 'string') ?? ''
  return Object.assign(new Error(`${fault.code}: scripted, ${name} '${place}'`), { code: fault.code, path: place })
}

function opensForWriting(flags: unknown): boolean {
  return typeof flags === 'string' ? flags !== 'r' : typeof flags === 'number' && (flags & 3) !== 0
}

type Anything = (...parameters: unknown[]) => unknown

function replaceEach(
  owner: object,
  names: readonly string[],
  wrap: (name: string, original: Anything) => Anything,
): void {
  const functions = owner as Record<string, Anything | undefined>
  for (const name of names) {
    const original = functions[name]
    if (original) functions[name] = wrap(name, original)
  }
}

const synchronous = (name: string, original: Anything): Anything =>
  function (this: unknown, ...parameters) {
    const found = due(name, parameters)
    if (found instanceof Error) throw found
    if (found === 'half' && name === 'writeSync') {
      const [descriptor, bytes, offset = 0, length = 0] = parameters as [number, unknown, number?, number?]
      return original.call(this, descriptor, bytes, offset, Math.ceil(length / 2))
    }
    return original.apply(this, parameters)
  }
const calling = (name: string, original: Anything): Anything =>
  function (this: unknown, ...parameters) {
    const found = due(name, parameters)
    const answer = parameters.at(-1) as (error: Error) => void
    return found instanceof Error ? void queueMicrotask(() => answer(found)) : original.apply(this, parameters)
  }
const promising = (name: string, original: Anything): Anything =>
  function (this: unknown, ...parameters) {
    const found = due(name, parameters)
    return found instanceof Error ? Promise.reject(found) : original.apply(this, parameters)
  }

const all = [...writing, ...reading, ...opening]
replaceEach(
  fs,
  all.filter((name) => name.endsWith('Sync')),
  synchronous,
)
replaceEach(fs, ['fsync', 'read', 'writeFile'], calling)
replaceEach(promises, ['mkdir', 'open', 'readdir', 'readFile', 'rename', 'rm'], promising)
const probe = await promises.open(process.execPath)
replaceEach(Object.getPrototypeOf(probe) as FileHandle, ['sync', 'writeFile', 'read'], promising)
await probe.close()
syncBuiltinESMExports()
