import { spawn } from 'node:child_process'
import { ModelError } from '#core/ports/model-client.ts'
import type { Secrets } from '../app/host-options.ts'
import { type Profile, type SecretPlace, secretVariablesOf } from './profiles.ts'
import { ownVariables } from './secret-variables.ts'

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
  /** False until the key store was read. Then `source` does not know of a stored secret. */
  isRead(): boolean
  /** True when the secret in use is sent as a bearer token, whatever the profile says. */
  isToken(): boolean
  /** The text without the secrets that were read so far. */
  hide(text: string): string
  /** Keeps a typed secret: in the key store, or in memory until the app ends. */
  set(secret: string, remember: boolean): Promise<void>
  clear(): Promise<void>
  /** Gives another profile what was typed, and keeps it too. */
  handOver(to: Pick<ProfileSecret, 'set'>): Promise<void>
}

export interface SecretOptions {
  readonly secrets: Secrets
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Milliseconds after which a command is ended. */
  readonly commandMs?: number
  /** Names of the variables that hold keys of any profile. A command gets those of its own profile only. */
  readonly keyVariables?: () => ReadonlySet<string>
  /** Milliseconds in which the secret of a renewed command counts as new. */
  readonly freshMs?: number
}

export function openProfileSecret(
  profile: Pick<Profile, 'name' | 'secret' | 'kind' | 'preset'>,
  options: SecretOptions,
): ProfileSecret {
  const { secret: place } = profile
  const { secrets, environment } = options
  const slot = storeName(place)
  const seen = new Set<string>()
  let inMemory: string | null = null
  let stored: string | null = null
  const ready = (slot === undefined ? Promise.resolve(null) : secrets.read(slot)).then((read) => {
    stored ??= read
  })
  let isRead = false
  const settle = () => {
    isRead = true
  }
  // Whoever reads the secret hears of a failure.
  ready.then(settle, settle)
  const fromEnvironment = () => environmentSecret(place, environment)
  const command = place.kind === 'command' ? commandSecret(profile, place.command, options) : null
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
    isRead: () => isRead,
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
    async handOver(to) {
      await ready
      const typed = inMemory
      if (stored !== null) await to.set(stored, true)
      if (typed !== null) await to.set(typed, false)
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
export const shortestSecret = 6

/** A program that prints a key in a moment, or asks a person on another screen. */
const usualCommandMs = 30_000
/** Requests that were on their way together end within this time. */
const usualFreshMs = 10_000
/** What a command printed is there when it ended, unless something that it started holds the pipe. */
const lastOutputMs = 200
/** Characters of a key. Longer output is no key. */
const longestSecret = 16_384

interface CommandSecret {
  read(signal: AbortSignal): Promise<string>
  /** True when the next secret may be another one. */
  forget(): boolean
}

/** Runs the command when a secret is needed, once for all who wait for it. */
function commandSecret(
  profile: Pick<Profile, 'name' | 'secret' | 'kind' | 'preset'>,
  command: string | readonly string[],
  { environment, keyVariables, commandMs = usualCommandMs, freshMs = usualFreshMs }: SecretOptions,
): CommandSecret {
  let known: Promise<string> | undefined
  /** When the secret in use was asked for again; null for the first one. Infinity while it is not there yet. */
  let renewedAt: number | null = null
  const ownEnvironment = () => {
    const withheld = new Set(keyVariables?.() ?? [])
    for (const name of ownVariables(profile)) withheld.delete(name)
    return Object.fromEntries(Object.entries(environment).filter(([name]) => !withheld.has(name)))
  }
  return {
    async read(signal) {
      signal.throwIfAborted()
      if (known === undefined) {
        const run = runCommand(profile.name, command, ownEnvironment(), commandMs)
        known = run
        run.then(
          () => {
            if (known === run && renewedAt !== null) renewedAt = performance.now()
          },
          () => {},
        )
        // A command that failed is tried again with the next request.
        run.catch(() => {
          if (known === run) known = undefined
        })
      }
      return orAborted(known, signal)
    },
    forget() {
      if (known === undefined) return renewedAt !== null
      // Requests that met the refusal together share the secret that the first of them renewed.
      if (renewedAt !== null && performance.now() - renewedAt < freshMs) return true
      known = undefined
      renewedAt = Number.POSITIVE_INFINITY
      return true
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
    let last: NodeJS.Timeout | undefined
    const end = (act: () => void) => {
      clearTimeout(late)
      clearTimeout(last)
      child.stdout.destroy()
      act()
    }
    const finish = (code: number | null, signal: NodeJS.Signals | null) =>
      end(() => {
        const [secret = ''] = output.trim().split(/\r?\n/)
        if (output.length > longestSecret) reject(fail('printed more than a key'))
        else if (code !== 0) reject(fail(code === null ? `was ended by ${signal}` : `ended with ${code}`))
        else if (secret === '') reject(fail('printed nothing'))
        else resolve(secret)
      })
    const late = setTimeout(() => {
      endGroup(child.pid)
      reject(fail(`did not end within ${Math.round(limitMs / 1000)} s`))
    }, limitMs)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.length > longestSecret) endGroup(child.pid)
    })
    child.on('error', (error) => end(() => reject(fail(`could not start (${(error as NodeJS.ErrnoException).code})`))))
    // A child of the command may keep the pipe open for hours.
    child.on('exit', (code, signal) => {
      last = setTimeout(() => finish(code, signal), lastOutputMs)
    })
    child.on('close', finish)
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
