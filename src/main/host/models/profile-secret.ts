import { spawn } from 'node:child_process'
import { ModelError } from '#core/ports/model-client.ts'
import type { Secrets } from '../composition/host-options.ts'
import { type Profile, type SecretPlace, secretVariablesOf } from './profiles.ts'

/** Where the secret in use comes from, for people. Null for none. */
export type SecretSource = 'memory' | 'stored' | 'environment' | 'command' | null

/** The secret of one profile. It stays in this object. */
export interface ProfileSecret {
  /** Resolves when the key store was read. Until then `source` does not know of a stored secret. */
  readonly ready: Promise<void>
  /** The secret; null when there is none. Rejects with `ModelError` `no_key` when its command fails. */
  read(signal: AbortSignal): Promise<string | null>
  /**
   * Call after the server refused the secret. True when the next `read` may give another one: only a command can.
   */
  renew(): boolean
  /** Without running a command. */
  source(): SecretSource
  /** True when the secret in use is sent as a bearer token, whatever the profile says. */
  isToken(): boolean
  /** The text without the secrets that were read so far. */
  hide(text: string): string
  /** Keeps a typed secret: in the key store, or in memory until the app ends. */
  set(secret: string, remember: boolean): Promise<void>
  clear(): Promise<void>
}

export interface SecretOptions {
  readonly secrets: Secrets
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Milliseconds after which a command is ended. */
  readonly commandMs?: number
}

export function openProfileSecret(
  { name, secret: place }: Pick<Profile, 'name' | 'secret'>,
  options: SecretOptions,
): ProfileSecret {
  const { secrets, environment } = options
  const slot = storeName(place)
  const seen = new Set<string>()
  let inMemory: string | null = null
  let stored: string | null = null
  const ready = (slot === undefined ? Promise.resolve(null) : secrets.read(slot)).then((read) => {
    stored ??= read
  })
  // Whoever reads the secret hears of it.
  ready.catch(() => {})
  const fromEnvironment = () => environmentSecret(place, environment)
  const command = place.kind === 'command' ? commandSecret(name, place.command, options) : null
  return {
    ready,
    async read(signal) {
      await ready
      const secret = inMemory ?? stored ?? fromEnvironment() ?? (await command?.read(signal)) ?? null
      if (secret !== null && secret.length >= shortestSecret) seen.add(secret)
      return secret
    },
    hide: (text) => [...seen].reduce((rest, secret) => rest.replaceAll(secret, '[the key]'), text),
    renew: () => inMemory === null && (command?.forget() ?? false),
    source() {
      if (inMemory !== null) return 'memory'
      if (stored !== null) return 'stored'
      if (fromEnvironment() !== null) return 'environment'
      return command ? 'command' : null
    },
    isToken: () => inMemory === null && stored === null && isTokenIn(place, environment),
    async set(typed, remember) {
      if (!remember || slot === undefined) {
        inMemory = typed
        return
      }
      await secrets.write(slot, typed)
      stored = typed
      inMemory = null
    },
    async clear() {
      if (slot !== undefined) await secrets.clear(slot)
      stored = null
      inMemory = null
    },
  }
}

/** The name in the key store: null for the key of the built-in profile, undefined for a profile that stores none. */
function storeName(place: SecretPlace): string | null | undefined {
  return place.kind === 'store' ? place.name : undefined
}

function environmentSecret(
  place: SecretPlace,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  for (const variable of secretVariablesOf({ secret: place })) {
    const value = environment[variable]?.trim()
    if (value) return value
  }
  return null
}

function isTokenIn(place: SecretPlace, environment: Readonly<Record<string, string | undefined>>): boolean {
  if (place.kind !== 'store' || place.tokenEnv === undefined) return false
  return !(place.env !== null && environment[place.env]?.trim()) && Boolean(environment[place.tokenEnv]?.trim())
}

/** A shorter one may be a word of any message. */
const shortestSecret = 6

/** A program that prints a key in a moment, or asks a person on another screen. */
const usualCommandMs = 30_000
/** Characters of a key. Longer output is no key. */
const longestSecret = 16_384

interface CommandSecret {
  read(signal: AbortSignal): Promise<string>
  /** True when there was something to forget. */
  forget(): boolean
}

/** Runs the command when a secret is needed, once for all who wait for it. */
function commandSecret(
  profile: string,
  command: string | readonly string[],
  { environment, commandMs = usualCommandMs }: SecretOptions,
): CommandSecret {
  let known: Promise<string> | undefined
  return {
    async read(signal) {
      signal.throwIfAborted()
      if (known === undefined) {
        const run = runCommand(profile, command, environment, commandMs)
        known = run
        // A command that failed is tried again with the next request.
        run.catch(() => {
          if (known === run) known = undefined
        })
      }
      return orAborted(known, signal)
    },
    forget() {
      const had = known !== undefined
      known = undefined
      return had
    },
  }
}

function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** What the command prints is the secret, so it is in no message. */
function runCommand(
  profile: string,
  command: string | readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  limitMs: number,
): Promise<string> {
  const [program, ...rest] = typeof command === 'string' ? [command] : command
  const fail = (why: string) =>
    new ModelError(
      'no_key',
      `The command that prints the key of ${profile} ${why}. Run it in a terminal to see what is wrong.`,
    )
  if (program === undefined) return Promise.reject(fail('is empty'))
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, {
      shell: typeof command === 'string',
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    let output = ''
    const end = (act: () => void) => {
      clearTimeout(late)
      act()
    }
    const late = setTimeout(() => {
      endGroup(child.pid)
      reject(fail(`did not end within ${Math.round(limitMs / 1000)} s`))
    }, limitMs)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.length > longestSecret) endGroup(child.pid)
    })
    child.on('error', (error) => end(() => reject(fail(`could not start (${(error as NodeJS.ErrnoException).code})`))))
    child.on('close', (code, signal) =>
      end(() => {
        const [secret = ''] = output.trim().split(/\r?\n/)
        if (output.length > longestSecret) reject(fail('printed more than a key'))
        else if (code !== 0) reject(fail(code === null ? `was ended by ${signal}` : `ended with ${code}`))
        else if (secret === '') reject(fail('printed nothing'))
        else resolve(secret)
      }),
    )
  })
}

/** Ends the command with everything that it started. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // It ended by itself meanwhile.
  }
}
