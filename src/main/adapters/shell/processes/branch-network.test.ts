import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findCommandUser } from '../../system/command-user.ts'
import { kernelPlaces } from '../kernel-places.ts'
import { maskedCredentials, readablePlaces } from '../readable-places.ts'
import { probeSandbox, reachesMachine } from '../sandbox-probe.ts'
import { holdNetwork } from './branch-network.ts'

it('is seen to keep commands from the machine, and a way into no network is seen not to', async ({ skip }) => {
  const folder = mkdtempSync(join(tmpdir(), 'bn-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const places = readablePlaces({ hidden: [folder], home: '/nowhere', path: '/usr/bin:/bin', environment: {} })
  const user = await findCommandUser()
  const filterFile = join(folder, 'none')
  writeFileSync(filterFile, '')
  const masked = maskedCredentials(places)
  const input = { user, places, masked, kernel: kernelPlaces(), filterDescriptor: null, folder, filterFile }
  const { state, withoutNetwork, ownProcesses } = await probeSandbox(input)
  if (state.state === 'off' || !withoutNetwork) return skip()
  expect(await reachesMachine(input, { ownProcesses }, [])).toBe(true)
  await using network = await holdNetwork(user, null)
  expect(await reachesMachine(input, { ownProcesses }, network.enter)).toBe(false)
  expect(network.ports()).toEqual([])
})
