import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { HeldProjectError } from '#host/handover/held-project.ts'
import type { Projects } from '#host/project/projects.ts'
import { readCommandLine } from '../arguments.ts'
import { orHandOver } from './hand-over.ts'

const held = 'This project is open in a window (process 7).'

/** What a verb is told when the process at this place has its project. */
async function told(place: string): Promise<string> {
  const refuse = () => Promise.reject(new HeldProjectError(held, { place, token: 'token' }))
  const line = readCommandLine(['diff', 'last'], () => true)
  const projects = orHandOver({ open: refuse, openStored: refuse } as unknown as Projects, line, 200)
  return projects.open('/work').then(
    () => 'opened',
    (error: unknown) => (error instanceof HeldProjectError ? error.message : 'handed over'),
  )
}

// Mutation: never resolve 'silent' in `knock`, and the first one waits without end.
it('a process that hangs is named, and so is one that has left its socket', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-hand-over-'))
  const place = join(folder, 'door')
  const sockets: Socket[] = []
  // It takes every connection, as the system does for a process that was stopped.
  const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined)))
  await new Promise<void>((resolve) => void server.listen(place, resolve))
  expect(await told(place)).toBe(`${held} It does not answer: if it hangs, end that process and try again.`)
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
  expect(await told(place)).toBe(held)
  rmSync(folder, { recursive: true })
})

// Mutation: throw the refusal at once in `orHandOver` when nobody opens, as before: commands that end at the same time refuse each other.
it('a process that ends meanwhile is no refusal: the verb asks again, and finds the project free or with another process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-hand-over-'))
  // The first has ended, and the one after it has the lock and has not said its name.
  const [gone, come] = [{ place: join(folder, 'door'), token: 'token' }, undefined]
  const line = readCommandLine(['diff', 'last'], () => true)
  let tries = 0
  const open = async () => {
    tries++
    if (tries < 4) throw new HeldProjectError(held, tries === 3 ? come : gone)
    return 'opened'
  }
  const projects = orHandOver({ open, openStored: open } as unknown as Projects, line)
  expect([await projects.open('/work'), tries]).toEqual(['opened', 4])
  rmSync(folder, { recursive: true })
})
