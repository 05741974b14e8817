import { spawn } from 'node:child_process'
import { outgoingFetch, reasonOf } from '#adapters/system/outgoing/outgoing.ts'
import type { JsonObject } from '#shared/base/json.ts'
import { tailOf } from '#shared/text/whole-characters.ts'

/** Milliseconds for one message. Nothing waits for it, but the next one. */
const patience = 10_000

interface Telling {
  readonly workingFolder: string
  readonly environment: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly patienceMs?: number
}

/** Starts a program of the person with one line of JSON as its input. Rejects with a sentence when it fails or takes too long. */
export async function tellProgram(command: readonly string[], message: JsonObject, telling: Telling): Promise<void> {
  const [program = '', ...parameters] = command
  const { workingFolder, environment, signal, patienceMs = patience } = telling
  signal.throwIfAborted()
  const limit = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  await new Promise<void>((resolve, reject) => {
    const child = spawn(program, parameters, {
      ...{ cwd: workingFolder, env: environment, windowsHide: true, detached: process.platform !== 'win32' },
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    let errors = ''
    const end = (): void => {
      try {
        if (child.pid !== undefined && process.platform !== 'win32') process.kill(-child.pid, 'SIGKILL')
        else child.kill()
      } catch {}
      reject(new Error(`${program} took longer than ${Math.round(patienceMs / 1000)} s`))
    }
    limit.addEventListener('abort', end, { once: true })
    child.stderr.on('data', (data: Buffer) => {
      errors = tailOf(`${errors}${data.toString()}`, 500)
    })
    // It need not read what it gets.
    child.stdin.on('error', () => {})
    child.once('error', (error) => reject(new Error(`${program} could not be started: ${error.message}`)))
    child.once('exit', (code) => {
      limit.removeEventListener('abort', end)
      if (code === 0) resolve()
      else reject(new Error(`${program} ended with code ${code ?? 'of a signal'}. ${errors.trim()}`.trim()))
    })
    child.stdin.end(`${JSON.stringify(message)}\n`)
  })
}

/** Sends JSON to an address of the person. Rejects with a sentence when it refuses or takes too long. */
export async function tellAddress(
  url: string,
  message: JsonObject,
  { signal, headers }: Pick<Telling, 'signal'> & { readonly headers?: Readonly<Record<string, string>> },
): Promise<void> {
  const { host } = new URL(url)
  const response = await outgoingFetch(url, {
    ...{ method: 'POST', redirect: 'error', body: JSON.stringify(message) },
    headers: { ...headers, 'content-type': 'application/json' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
  }).catch((error: unknown) => {
    throw new Error(`${host} could not be reached: ${reasonOf(error)}`)
  })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`${host} answered with status ${response.status}`)
}
