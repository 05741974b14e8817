import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFileSecrets } from '#adapters/secrets/file-secrets.ts'
import { openProfileSecret, type SecretOptions } from './profile-secret.ts'
import type { SecretPlace } from './profiles.ts'

const never = new AbortController().signal
const folder = () => mkdtempSync(join(tmpdir(), 'coppice-secret-'))

function open(
  secret: SecretPlace,
  environment: Record<string, string> = {},
  { commandMs = 10_000, ...more }: Partial<SecretOptions> = {},
) {
  const secrets = createFileSecrets(join(folder(), 'key'))
  return openProfileSecret(
    { name: 'gate', secret, kind: 'anthropic', preset: null },
    { secrets, environment: { PATH: process.env.PATH, ...environment }, commandMs, ...more },
  )
}

const stored: SecretPlace = { kind: 'store', name: 'gate', env: 'GATE_KEY' }
const command = (...words: readonly string[]): SecretPlace => ({ kind: 'command', command: words })

describe('the secret of a profile', () => {
  it('comes from memory, then from the key store, then from the environment', async () => {
    const secret = open(stored, { GATE_KEY: ' of-environment ' })
    expect([await secret.read(never), secret.source()]).toEqual(['of-environment', 'environment'])
    await secret.set('of-store', true)
    expect([await secret.read(never), secret.source()]).toEqual(['of-store', 'stored'])
    await secret.set('typed', false)
    expect([await secret.read(never), secret.source()]).toEqual(['typed', 'memory'])
    await secret.clear()
    expect([await secret.read(never), secret.source()]).toEqual(['of-environment', 'environment'])
  })

  it('is a token when only the token variable is set', () => {
    const place: SecretPlace = { ...stored, tokenEnv: 'GATE_TOKEN' }
    expect(open(place, { GATE_TOKEN: 't' }).isToken()).toBe(true)
    expect(open(place, { GATE_TOKEN: 't', GATE_KEY: 'k' }).isToken()).toBe(false)
    expect(open(place).isToken()).toBe(false)
  })

  it('is missing without any of them', async () => {
    const secret = open(stored)
    expect([await secret.read(never), secret.source(), secret.renew()]).toEqual([null, null, false])
  })
})

describe('a command that prints the secret', () => {
  it('runs once for all who need it, and again after the server refused what it printed', async () => {
    const counter = join(folder(), 'count')
    writeFileSync(counter, '')
    const secret = open({ kind: 'command', command: `printf x >> ${counter}; wc -c < ${counter}` })
    expect(secret.source()).toBe('command')
    expect(await Promise.all([1, 2, 3].map(() => secret.read(never)))).toEqual(['1', '1', '1'])
    expect(secret.renew()).toBe(true)
    expect(await secret.read(never)).toBe('2')
    expect(readFileSync(counter, 'utf8')).toBe('xx')
  })

  it.each([
    ['fails', command('sh', '-c', 'echo canary-secret; exit 3'), /ended with 3/],
    ['prints nothing', command('true'), /printed nothing/],
    ['does not exist', command('no-such-program-here'), /could not start/],
    ['prints more than a key', command('sh', '-c', 'yes canary-secret'), /printed more than a key/],
  ])('that %s is said in words, without what it printed', async (_, place, words) => {
    const error = await open(place)
      .read(never)
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'no_key', message: expect.stringMatching(words) })
    expect(String(error)).not.toContain('canary-secret')
    expect(String(error)).toContain('Run it in a terminal')
  })

  it('that hangs is ended with everything it started, and tried again with the next request', async () => {
    const file = join(folder(), 'pid')
    const secret = open(command('sh', '-c', `sleep 600 & echo $! > ${file}; wait`), {}, { commandMs: 300 })
    await expect(secret.read(never)).rejects.toMatchObject({ message: expect.stringMatching(/did not end within/) })
    const pid = Number(readFileSync(file, 'utf8'))
    await expect.poll(() => isRunning(pid)).toBe(false)
    await expect(secret.read(never)).rejects.toMatchObject({ code: 'no_key' })
  })

  it('gets no variable that holds the key of another profile', async () => {
    const keyVariables = () => new Set(['OTHER_KEY', 'ANTHROPIC_API_KEY'])
    const environment = { OTHER_KEY: 'canary', ANTHROPIC_API_KEY: 'canary', VAULT_TOKEN: 'mine' }
    const secret = open(
      { kind: 'command', command: 'echo "[$OTHER_KEY$ANTHROPIC_API_KEY$VAULT_TOKEN]"' },
      environment,
      { keyVariables },
    )
    expect(await secret.read(never)).toBe('[mine]')
  })

  it('runs once more for all requests that were refused together, and again for a later refusal', async () => {
    const counter = join(folder(), 'count')
    writeFileSync(counter, '')
    const place: SecretPlace = { kind: 'command', command: `printf x >> ${counter}; wc -c < ${counter}` }
    const together = open(place)
    await together.read(never)
    const after: (string | null)[] = []
    for (const _ of [1, 2, 3, 4]) {
      expect(together.renew()).toBe(true)
      after.push(await together.read(never))
    }
    expect(after).toEqual(['2', '2', '2', '2'])
    const later = open(place, {}, { freshMs: 0 })
    expect([await later.read(never), later.renew(), await later.read(never)]).toEqual(['3', true, '4'])
    expect([later.renew(), await later.read(never)]).toEqual([true, '5'])
  })

  it('is done when it ends, also when something that it started holds its output', async () => {
    const file = join(folder(), 'pid')
    const secret = open(command('sh', '-c', `sleep 600 & echo $! > ${file}; echo the-key`))
    expect(await secret.read(never)).toBe('the-key')
    process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL')
  })

  it('lets go of whoever no longer waits', async () => {
    const controller = new AbortController()
    const reading = open(command('sleep', '5')).read(controller.signal)
    controller.abort('stopped')
    await expect(reading).rejects.toBe('stopped')
  })
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
