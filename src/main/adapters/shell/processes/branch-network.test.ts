import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findCommandUser } from '../../system/command-user.ts'
import { enterProgram } from '../../system/steps.ts'
import { kernelPlaces } from '../bubblewrap/kernel-places.ts'
import { probeSandbox, reachesMachine } from '../bubblewrap/probe.ts'
import { maskedCredentials, readablePlaces } from '../readable-places.ts'
import { holdNetwork } from './branch-network.ts'

it('is seen to keep commands from the machine, and a way into no network is seen not to', async ({ skip }) => {
  const folder = mkdtempSync(join(tmpdir(), 'bn-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const places = readablePlaces({ hidden: [folder], home: '/nowhere', path: '/usr/bin:/bin', environment: {} })
  const user = await findCommandUser()
  const filterFile = join(folder, 'none')
  writeFileSync(filterFile, '')
  const masked = maskedCredentials(places)
  const input = {
    user,
    places,
    masked,
    kernel: kernelPlaces(),
    filterDescriptor: null,
    enter: enterProgram(),
    folder,
    filterFile,
  }
  const { isCutOff, ownProcesses } = await probeSandbox(input)
  if (!isCutOff) return skip()
  expect(await reachesMachine(input, { ownProcesses }, [])).toBe(true)
  await using network = await holdNetwork(user)
  expect(await reachesMachine(input, { ownProcesses }, network.enter)).toBe(false)
  expect(network.ports()).toEqual([])
})

it('makes a bounded number of processes of the machine, however many connections a command opens', async ({ skip }) => {
  const folder = mkdtempSync(join(tmpdir(), 'bn-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const user = await findCommandUser()
  let connections = 0
  const proxy = createServer((socket) => {
    connections += 1
    socket.on('error', () => undefined)
  })
  const socket = join(folder, 'proxy')
  await new Promise<void>((resolve) => void proxy.listen(socket, resolve))
  onTestFinished(() => void proxy.close())
  const network = await holdNetwork(user).catch(() => null)
  if (network === null) return skip()
  await using held = network
  const { port } = await held.leadTo(socket)
  const open = `for at in {1..67}; do exec {way}<>/dev/tcp/127.0.0.1/${port} || exit; done; echo opened; read`
  const [file = '', ...parameters] = [...held.enter, 'bash', '-c', open]
  const command = spawn(file, parameters, { stdio: ['pipe', 'pipe', 'ignore'] })
  await once(command.stdout, 'data')
  await expect.poll(() => connections).toBe(64)
  command.stdin.end()
  await once(command, 'close')
  await expect.poll(() => connections).toBe(67)
})
