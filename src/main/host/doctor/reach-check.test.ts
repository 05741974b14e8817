import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { noSandbox } from '#adapters/shell/sandbox.ts'
import type { Examination } from '#shared/contract/views/app.ts'
import { examineReach } from './reach-check.ts'

/** What opens the sandbox is said with the grant, so that nobody meets it first in what an agent did. */
it.skipIf(process.platform === 'win32')('names each grant with what it opens and whether it is there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reach-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const listen = async (place: number | string) => {
    const server = createServer()
    await new Promise<void>((resolve) => void server.listen(place, resolve))
    onTestFinished(() => void server.close())
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  const [docker, gone] = [join(folder, 'docker.sock'), join(folder, 'gone')]
  await listen(docker)
  const everywhere = { localPorts: [], sockets: [] }
  const examine = async (ports: Record<string, number[]>, sockets: Record<string, string[]>) => {
    const reach = { everywhere, portsByFolder: ports, socketsByFolder: sockets }
    const found: Examination[] = []
    for await (const one of examineReach(reach, noSandbox('A test runs without.'))) found.push(one)
    return found
  }
  const found = await examine({ '/app': [port] }, { '/app': [docker], '/other': [gone] })
  expect(found.map(({ name, state }) => [name, state])).toEqual([
    ['This machine', 'ok'],
    ['This machine', 'optional'],
  ])
  expect(found[0]?.detail).toContain(
    `in /app every command reaches localhost:${port} (a server of this machine); ${docker}`,
  )
  expect(found[0]?.detail).toContain('root on this machine')
  expect(found[1]?.detail).toContain(`${gone} (It is not there now.`)
  expect(await examine({}, { '/app': [] })).toEqual([])
})
